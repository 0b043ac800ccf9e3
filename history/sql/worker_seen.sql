-- A worker reports itself: its login's row of that name.
-- Parameters: $1 name text, $2 kind text, $3 slots integer, $4 busy integer
-- Result: seen bigint
SELECT count(*) FROM worker_seen($1, $2, $3, $4);
