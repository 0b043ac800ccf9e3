-- Ends a job with its profile, in the transaction that stored it; no row when the lease was lost.
-- Bytes that came with it go. What is to be judged waits from now on: its commit, else the profile.
-- A failure is that of files that were left while others were stored; null: there were none.
-- Parameters: $1 id bigint, $2 fence bigint, $3 profile_id bigint, $4 duplicate boolean,
--             $5 failure_kind text, $6 failure text
-- Result: id bigint
WITH done AS (
    UPDATE queue
    SET state = 'done', profile_id = $3, duplicate = $4, finished_at = now(), lease_until = NULL,
        failure_kind = $5::text, failure = $6::text
    WHERE id = $1 AND fence = $2 AND state = 'running'
    RETURNING id, judge, project, workload, branch, commit_sha
),
emptied AS (
    UPDATE queue_files f SET body = NULL FROM done WHERE f.job_id = done.id AND f.body IS NOT NULL
),
asked AS (
    INSERT INTO judgements AS j (project, workload, candidate, branch, commit_sha, asked_at)
    SELECT project, workload, coalesce(commit_sha, 'p' || $3::bigint::text), branch, commit_sha,
           clock_timestamp()
    FROM done WHERE judge
    ON CONFLICT (project, workload, candidate) DO UPDATE
    SET asked = j.asked + 1, asked_at = excluded.asked_at,
        not_before = least(j.not_before, now()),
        branch = coalesce(excluded.branch, j.branch),
        attempt = CASE j.state WHEN 'running' THEN j.attempt ELSE 0 END,
        state = CASE j.state WHEN 'running' THEN 'running' ELSE 'ready' END, finished_at = NULL
)
SELECT id FROM done;
