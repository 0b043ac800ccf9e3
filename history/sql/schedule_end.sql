-- What came of a task: NULL, or why it failed; one that is not over was kept from it, and is due
-- again before its time.
-- Parameters: $1 name text, $2 failure text, $3 over boolean
-- Result: none
UPDATE schedules SET failure = $2, ended_at = CASE WHEN $3 THEN now() ELSE ended_at END
WHERE name = $1;
