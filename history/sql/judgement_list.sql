-- Candidates that were asked about, newest first; state NULL = of every state.
-- Parameters: $1 state text, $2 limit bigint
-- Result: id bigint, state text, project text, workload text, candidate text, branch text,
-- attempt integer, worker text, failure_kind text, failure text, verdict_id bigint,
-- finished_at timestamptz
SELECT id, state, project, workload, candidate, branch, attempt, worker, failure_kind, failure,
       verdict_id, finished_at
FROM judgements
WHERE $1::text IS NULL OR state = $1::text
ORDER BY id DESC
LIMIT $2;
