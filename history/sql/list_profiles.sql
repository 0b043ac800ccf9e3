-- Profiles as they stand now, newest first; status NULL: those that count. Of several branches and
-- commits those that were asked for.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 commit text, $5 run text,
--     $6 status text, $7 since_us bigint, $8 row_limit bigint
-- Result: profile text, project text, workload text, series text, run text, branch text,
--     commit text, label text, step_us float8, status text, captured_at_utc timestamptz,
--     recorded_at_utc timestamptz
WITH scope AS MATERIALIZED (
    SELECT coalesce(array_agg(s.id), '{}') AS series
    FROM projects j JOIN series s ON s.project_id = j.id
    WHERE ($1::text IS NULL OR j.name = $1) AND ($2::text IS NULL OR s.workload = $2)
),
page AS MATERIALIZED (
    SELECT p.id FROM present_profiles p
    WHERE p.series_id = ANY ((SELECT series FROM scope)::bigint[])
      AND CASE coalesce($6::text, 'counts')
          WHEN 'all' THEN true
          WHEN 'retracted' THEN p.retracted_at IS NOT NULL
          WHEN 'superseded' THEN p.superseded_by IS NOT NULL
          ELSE p.retracted_at IS NULL AND p.superseded_by IS NULL END
      AND ($3::text IS NULL OR p.id IN (
          SELECT n.profile_id FROM present_names n WHERE n.kind = 'branch' AND n.name = $3))
      AND ($4::text IS NULL OR p.id IN (
          SELECT n.profile_id FROM present_names n
          WHERE n.kind = 'commit' AND n.name >= $4 AND n.name < $4 || '~'))
      AND ($5::text IS NULL OR p.run = $5)
      AND ($7::bigint IS NULL OR extract(epoch FROM p.recorded_at) * 1000000 >= $7)
    ORDER BY p.id DESC LIMIT $8
)
SELECT 'p' || p.id AS profile, j.name AS project, s.workload, 's' || p.series_id AS series, p.run,
       coalesce(n.branch, p.branch) AS branch, coalesce(n.commit_sha, p.commit_sha) AS commit,
       p.label, measure_usual(m.value) AS step_us,
       CASE WHEN p.superseded_by IS NOT NULL THEN 'superseded by p' || p.superseded_by
            WHEN p.retracted_at IS NOT NULL THEN 'retracted' ELSE 'counts' END AS status,
       profile_captured_at(p.id) AS captured_at_utc, p.recorded_at AS recorded_at_utc
FROM present_profiles p
JOIN series s ON s.id = p.series_id
JOIN projects j ON j.id = p.project_id
LEFT JOIN measures m ON m.series_id = p.recorded_series_id AND m.measure = 7
    AND m.profile_id = p.id
CROSS JOIN LATERAL matching_names(p.id, $3, $4) n
WHERE p.id = ANY (ARRAY(SELECT id FROM page))
ORDER BY p.id DESC;
