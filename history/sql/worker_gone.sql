-- A worker leaves in order; those not seen for an hour go with it, and those seen in the future.
-- Parameters: $1 name text
-- Result: gone bigint
SELECT count(*) FROM worker_gone($1);
