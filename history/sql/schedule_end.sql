-- What came of a task: NULL, or why it failed.
-- Parameters: $1 name text, $2 failure text
-- Result: none
UPDATE schedules SET failure = $2, ended_at = now() WHERE name = $1;
