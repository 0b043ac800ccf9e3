-- Jobs, newest first; state NULL = of every state.
-- Parameters: $1 state text, $2 limit bigint
-- Result: id bigint, state text, project text, workload text, path text, attempt integer,
-- max_attempts integer, worker text, failure_kind text, failure text, profile_id bigint,
-- duplicate boolean, submitted_at timestamptz, not_before timestamptz, finished_at timestamptz
SELECT id, state, project, workload, path, attempt, max_attempts, worker, failure_kind, failure,
       profile_id, duplicate, submitted_at, not_before, finished_at
FROM queue
WHERE $1::text IS NULL OR state = $1::text
ORDER BY id DESC
LIMIT $2;
