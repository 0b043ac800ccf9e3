-- The id of a project by its name.
-- Parameters: $1 name text
-- Result: id bigint
SELECT id FROM projects WHERE name = $1;
