-- Jobs that were set aside may be tried again, with all their attempts: those named, or all when
-- ids is NULL.
-- Parameters: $1 ids bigint[]
-- Result: id bigint
UPDATE queue
SET state = 'ready', attempt = 0, not_before = now(), finished_at = NULL
WHERE state = 'aside' AND ($1::bigint[] IS NULL OR id = ANY ($1::bigint[]))
RETURNING id;
