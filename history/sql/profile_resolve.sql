-- The profiles that a reference means. A profile's id goes before a run, that before a label,
-- that before a commit; the commit comes back so that a prefix of several commits is noticed.
-- Parameters: $1 project text, $2 workload text, $3 reference text
-- Result: id bigint, commit_sha text
WITH members AS (
    SELECT p.id, p.run
    FROM projects j
    JOIN series s ON s.project_id = j.id AND s.workload = $2
    JOIN profiles p ON p.series_id = s.id
    WHERE j.name = $1
),
hits AS (
    SELECT 1 AS kind, m.id, NULL AS commit_sha FROM members m WHERE 'p' || m.id = $3
    UNION
    SELECT 2, m.id, NULL FROM members m WHERE m.run = $3
    UNION
    SELECT 3, m.id, NULL FROM members m JOIN profile_events e ON e.profile_id = m.id
    WHERE e.label = $3
    UNION
    SELECT 4, m.id, e.commit_sha FROM members m JOIN profile_events e ON e.profile_id = m.id
    WHERE e.commit_sha = $3
    UNION
    SELECT 5, m.id, e.commit_sha FROM members m JOIN profile_events e ON e.profile_id = m.id
    WHERE $3 ~ '^[0-9a-f]{7,}$' AND starts_with(e.commit_sha, $3)
)
SELECT h.id, h.commit_sha FROM hits h
WHERE h.kind = (SELECT min(kind) FROM hits) ORDER BY h.id DESC;
