-- Opens a destination again: nothing keeps it from being tried at once.
-- Parameters: $1 name text
-- Result: id bigint
UPDATE destinations
SET disabled_why = NULL, disabled_until = NULL, refused_count = 0, not_before = '-infinity',
    failing_since = NULL, disabled_told = false
WHERE name = $1
RETURNING id;
