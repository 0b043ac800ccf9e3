-- Prolongs a lease; no row when it was lost.
-- Parameters: $1 id bigint, $2 fence bigint, $3 lease_ms bigint
-- Result: id bigint
UPDATE queue
SET lease_until = now() + $3::bigint * interval '1 millisecond'
WHERE id = $1 AND fence = $2 AND state = 'running'
RETURNING id;
