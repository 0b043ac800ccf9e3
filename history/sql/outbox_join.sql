-- These messages are told in a digest.
-- Parameters: $1 ids bigint[]
-- Result: id bigint
UPDATE outbox SET state = 'superseded', finished_at = now()
WHERE id = ANY ($1) AND state = 'pending'
RETURNING id;
