-- Until when a task is kept off, and why it failed; NULL: whoever began it has not ended.
-- Parameters: $1 name text, $2 every_ms bigint
-- Result: until timestamptz, failure text
SELECT last_run_at + $2::bigint * interval '1 millisecond', failure FROM schedules WHERE name = $1;
