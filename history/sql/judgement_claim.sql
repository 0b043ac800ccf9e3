-- Claims the candidate that has been due for longest: settled, as nothing came for it lately; who
-- else claims at the moment is not waited for.
-- Parameters: $1 worker text, $2 lease_ms bigint, $3 settle_ms bigint
-- Result: id bigint, fence bigint, asked bigint, project text, workload text, candidate text,
-- branch text, commit text, attempt integer
WITH next AS (
    SELECT j.id FROM judgements j
    WHERE j.state = 'ready' AND j.not_before <= now()
      AND j.asked_at <= now() - $3::bigint * interval '1 millisecond'
    ORDER BY j.not_before, j.id
    LIMIT 1
    FOR UPDATE SKIP LOCKED
)
UPDATE judgements j
SET state = 'running', attempt = j.attempt + 1, fence = j.fence + 1, worker = $1,
    lease_until = now() + $2::bigint * interval '1 millisecond'
FROM next
WHERE j.id = next.id
RETURNING j.id, j.fence, j.asked, j.project, j.workload, j.candidate, j.branch, j.commit_sha,
          j.attempt;
