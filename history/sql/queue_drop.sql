-- Jobs that nobody works on are given up, for good: those named, or all that were set aside when
-- ids is NULL.
-- Parameters: $1 ids bigint[]
-- Result: id bigint
WITH dropped AS (
    UPDATE queue
    SET state = 'dropped', finished_at = now()
    WHERE CASE WHEN $1::bigint[] IS NULL THEN state = 'aside'
          ELSE id = ANY ($1::bigint[]) AND state IN ('ready', 'aside') END
    RETURNING id
),
emptied AS (
    UPDATE queue_files f SET body = NULL
    FROM dropped WHERE f.job_id = dropped.id AND f.body IS NOT NULL
)
SELECT id FROM dropped;
