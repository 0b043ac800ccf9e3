-- Ends an attempt that made no verdict; no row when the lease was lost. ending: retry (aside when
-- the attempts are used up), aside, or release (back, and the attempt does not count).
-- Parameters: $1 id bigint, $2 fence bigint, $3 ending text, $4 kind text, $5 failure text,
-- $6 delay_ms bigint, $7 max_attempts bigint
-- Result: state text
WITH ended AS (
    SELECT j.id,
           CASE WHEN $3::text = 'aside' OR ($3::text = 'retry' AND j.attempt >= $7::bigint)
                THEN 'aside' ELSE 'ready' END AS state
    FROM judgements j
    WHERE j.id = $1 AND j.fence = $2 AND j.state = 'running'
    FOR UPDATE
)
UPDATE judgements j
SET state = e.state, lease_until = NULL, failure_kind = $4::text, failure = $5::text,
    attempt = j.attempt - CASE WHEN $3::text = 'release' THEN 1 ELSE 0 END,
    not_before = CASE e.state WHEN 'ready' THEN now() + $6::bigint * interval '1 millisecond'
                 ELSE j.not_before END,
    finished_at = CASE e.state WHEN 'aside' THEN now() END
FROM ended e
WHERE j.id = e.id
RETURNING j.state;
