-- Claims the job that has been due for longest; who else claims at the moment is not waited for.
-- Parameters: $1 worker text, $2 lease_ms bigint
-- Result: id bigint, fence bigint, project text, workload text, branch text, commit text,
-- run text, label text, path text, options text, attempt integer, max_attempts integer,
-- has_bytes boolean
WITH next AS (
    SELECT q.id FROM queue q
    WHERE q.state = 'ready' AND q.not_before <= now()
    ORDER BY q.not_before, q.id
    LIMIT 1
    FOR UPDATE SKIP LOCKED
)
UPDATE queue q
SET state = 'running', attempt = q.attempt + 1, fence = q.fence + 1, worker = $1,
    lease_until = now() + $2::bigint * interval '1 millisecond'
FROM next
WHERE q.id = next.id
RETURNING q.id, q.fence, q.project, q.workload, q.branch, q.commit_sha, q.run, q.label, q.path,
          q.options, q.attempt, q.max_attempts,
          EXISTS (SELECT FROM queue_files f WHERE f.job_id = q.id AND f.body IS NOT NULL);
