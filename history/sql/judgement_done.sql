-- Ends a judgement with its verdict, in the transaction that records it, or with the reason why
-- there can be none; ready again when it was asked for meanwhile. No row when the lease was lost.
-- Parameters: $1 id bigint, $2 fence bigint, $3 asked bigint, $4 verdict_id bigint, $5 kind text,
-- $6 failure text
-- Result: state text
UPDATE judgements j
SET state = CASE WHEN j.asked = $3 THEN 'done' ELSE 'ready' END,
    finished_at = CASE WHEN j.asked = $3 THEN now() END,
    attempt = CASE WHEN j.asked = $3 THEN j.attempt ELSE 0 END,
    verdict_id = coalesce($4, j.verdict_id), lease_until = NULL,
    failure_kind = $5::text, failure = $6::text
WHERE j.id = $1 AND j.fence = $2 AND j.state = 'running'
RETURNING j.state;
