-- Prolongs the lease of a message that is being sent; no row when it was lost.
-- Parameters: $1 id bigint, $2 lease_token text, $3 lease_ms bigint
-- Result: id bigint
UPDATE outbox
SET lease_until = now() + $3::bigint * interval '1 millisecond'
WHERE id = $1 AND state = 'sending' AND lease_token = $2::text::uuid
RETURNING id;
