-- Gives dead messages all their attempts and a day's time again; ids NULL = all of them.
-- Parameters: $1 ids bigint[], $2 lifetime_ms bigint
-- Result: id bigint
UPDATE outbox
SET state = 'pending', attempt = 0, not_before = now(), finished_at = NULL, dead_told = false,
    expires_at = now() + $2::bigint * interval '1 millisecond'
WHERE state = 'dead' AND ($1::bigint[] IS NULL OR id = ANY ($1))
RETURNING id;
