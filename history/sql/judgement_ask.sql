-- Asks that a candidate is judged, at once and with all attempts; the state that it has then.
-- Parameters: $1 project text, $2 workload text, $3 candidate text, $4 branch text, $5 commit text
-- Result: id bigint, state text
INSERT INTO judgements AS j (project, workload, candidate, branch, commit_sha, asked_at)
VALUES ($1, $2, $3, $4, $5, '-infinity')
ON CONFLICT (project, workload, candidate) DO UPDATE
SET asked = j.asked + 1, asked_at = '-infinity', not_before = now(),
    branch = coalesce(excluded.branch, j.branch),
    commit_sha = coalesce(excluded.commit_sha, j.commit_sha),
    attempt = CASE j.state WHEN 'running' THEN j.attempt ELSE 0 END,
    state = CASE j.state WHEN 'running' THEN 'running' ELSE 'ready' END, finished_at = NULL
RETURNING j.id, j.state;
