-- Forgets candidates that were judged so long ago; their verdicts are in the ledger.
-- Parameters: $1 age_ms bigint
-- Result: count bigint
WITH gone AS (
    DELETE FROM judgements
    WHERE state = 'done' AND finished_at < now() - $1::bigint * interval '1 millisecond'
    RETURNING id
)
SELECT count(*) FROM gone;
