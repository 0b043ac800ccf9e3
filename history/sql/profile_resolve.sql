-- The profiles that a reference means, newest first. An id goes before a run, that before a label,
-- that before a commit; the commit comes back so that a prefix of several commits is noticed. By
-- its id a profile is found whatever became of it, by a name only while it counts.
-- Parameters: $1 project text, $2 workload text, $3 reference text
-- Result: id bigint, commit_sha text
WITH scope AS MATERIALIZED (
    SELECT array_agg(s.id) AS series
    FROM projects j JOIN series s ON s.project_id = j.id
    WHERE ($1::text IS NULL OR j.name = $1) AND ($2::text IS NULL OR s.workload = $2)
),
called AS MATERIALIZED (
    SELECT 1 AS kind, CASE WHEN $3 ~ '^p[1-9][0-9]{0,17}$' THEN substring($3 FROM 2)::bigint END
           AS id, NULL::text AS commit_sha
    UNION ALL
    SELECT 2, p.id, NULL FROM profiles p WHERE p.run = $3
    UNION ALL
    SELECT 2, a.profile_id, NULL FROM amendments a WHERE a.run = $3
    UNION ALL
    SELECT 3, n.profile_id, NULL FROM present_names n WHERE n.kind = 'label' AND n.name = $3
    UNION ALL
    SELECT 4, n.profile_id, n.name FROM present_names n WHERE n.kind = 'commit'
      AND (n.name = $3 OR ($3 ~* '^[0-9a-f]{4,}$' AND n.name = lower($3)))
    UNION ALL
    SELECT 5, n.profile_id, n.name FROM present_names n
    WHERE n.kind = 'commit' AND $3 ~* '^[0-9a-f]{7,}$'
      AND n.name >= lower($3) AND n.name < lower($3) || 'g'
),
hits AS MATERIALIZED (
    SELECT DISTINCT c.kind, c.id, c.commit_sha, p.ran_at, p.place
    FROM called c JOIN present_profiles p ON p.id = c.id
    WHERE p.id = ANY (ARRAY(SELECT id FROM called))
      AND p.series_id = ANY ((SELECT series FROM scope)::bigint[])
      AND (c.kind = 1 OR (p.retracted_at IS NULL AND p.superseded_by IS NULL))
      AND (c.kind <> 2 OR p.run = $3)
)
SELECT h.id, h.commit_sha FROM hits h
WHERE h.kind = (SELECT min(kind) FROM hits) ORDER BY h.ran_at DESC, h.place DESC, h.id DESC;
