-- A worker leaves in order; those not seen for an hour go with it, and those seen in the future.
-- Parameters: $1 name text
-- Result: none
DELETE FROM workers WHERE name = $1 OR seen_at < now() - interval '1 hour'
   OR seen_at > now() + interval '1 hour';
