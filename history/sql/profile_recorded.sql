-- A profile as it was recorded, before anything about it was corrected.
-- unreadable: why it cannot go elsewhere; one whose place was given back would take it again.
-- Parameters: $1 id bigint
-- Result: project text, workload text, run text, recorded_at timestamptz, recorded_by text,
--     unreadable text
SELECT j.name, s.workload, p.run, coalesce(o.recorded_at, p.recorded_at),
       coalesce(o.recorded_by, entry_author('profile', p.id, p.recorded_by)),
       (SELECT 'p' || min(a.profile_id) || ' counts again in its place'
        FROM amendments a JOIN last_amendments n ON n.profile_id = a.profile_id
        WHERE a.superseded_by = p.id AND n.superseded_by IS NULL
        HAVING count(*) > 0)
FROM profiles p
JOIN projects j ON j.id = p.project_id
JOIN series s ON s.id = p.series_id
LEFT JOIN origins o ON o.kind = 'profile' AND o.subject_id = p.id
WHERE p.id = $1;
