-- Removes jobs that ended long ago; those set aside stay until somebody decides.
-- Parameters: $1 age_ms bigint
-- Result: count bigint
WITH old AS (
    DELETE FROM queue
    WHERE state IN ('done', 'dropped')
      AND finished_at < now() - $1::bigint * interval '1 millisecond'
    RETURNING id
)
SELECT count(*) FROM old;
