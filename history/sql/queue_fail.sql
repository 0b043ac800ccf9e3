-- Ends an attempt without a result; no row when the lease was lost. ending: retry (aside when the
-- attempts are used up), aside, or release (back, and the attempt does not count).
-- Parameters: $1 id bigint, $2 fence bigint, $3 ending text, $4 kind text, $5 failure text,
-- $6 delay_ms bigint
-- Result: state text
WITH ended AS (
    SELECT q.id,
           CASE WHEN $3::text = 'aside' OR ($3::text = 'retry' AND q.attempt >= q.max_attempts)
                THEN 'aside' ELSE 'ready' END AS state
    FROM queue q
    WHERE q.id = $1 AND q.fence = $2 AND q.state = 'running'
    FOR UPDATE
)
UPDATE queue q
SET state = e.state, lease_until = NULL, failure_kind = $4::text, failure = $5::text,
    attempt = q.attempt - CASE WHEN $3::text = 'release' THEN 1 ELSE 0 END,
    not_before = CASE e.state WHEN 'ready' THEN now() + $6::bigint * interval '1 millisecond'
                 ELSE q.not_before END,
    finished_at = CASE e.state WHEN 'aside' THEN now() END
FROM ended e
WHERE q.id = e.id
RETURNING q.state;
