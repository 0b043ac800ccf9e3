-- Ends a job with its profile, in the transaction that stored it; no row when the lease was lost.
-- Bytes that came with it go.
-- Parameters: $1 id bigint, $2 fence bigint, $3 profile_id bigint, $4 duplicate boolean
-- Result: id bigint
WITH done AS (
    UPDATE queue
    SET state = 'done', profile_id = $3, duplicate = $4, finished_at = now(), lease_until = NULL,
        failure_kind = NULL, failure = NULL
    WHERE id = $1 AND fence = $2 AND state = 'running'
    RETURNING id
),
emptied AS (
    UPDATE queue_files f SET body = NULL FROM done WHERE f.job_id = done.id AND f.body IS NOT NULL
)
SELECT id FROM done;
