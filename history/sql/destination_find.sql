-- The id of a destination by its name.
-- Parameters: $1 name text
-- Result: id bigint
SELECT id FROM destinations WHERE name = $1;
