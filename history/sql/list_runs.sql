-- Runs with their profiles that count, the one with the newest profile first. Of several branches
-- and commits those that were asked for.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 commit text, $5 run text,
--     $6 status text, $7 since_us bigint, $8 row_limit bigint
-- Result: run text, project text, workload text, branch text, commit text, label text,
--     profiles bigint, newest_profile text, step_us float8, verdict text, status text,
--     captured_at_utc timestamptz, recorded_at_utc timestamptz
WITH scope AS MATERIALIZED (
    SELECT coalesce(array_agg(s.id), '{}') AS series
    FROM projects j JOIN series s ON s.project_id = j.id
    WHERE ($1::text IS NULL OR j.name = $1) AND ($2::text IS NULL OR s.workload = $2)
),
members AS (
    SELECT p.id, p.run, p.series_id FROM present_profiles p
    WHERE p.series_id = ANY ((SELECT series FROM scope)::bigint[])
      AND $6::text IS NULL AND p.retracted_at IS NULL AND p.superseded_by IS NULL
      AND ($3::text IS NULL OR p.id IN (
          SELECT n.profile_id FROM present_names n WHERE n.kind = 'branch' AND n.name = $3))
      AND ($4::text IS NULL OR p.id IN (
          SELECT n.profile_id FROM present_names n
          WHERE n.kind = 'commit' AND n.name >= $4 AND n.name < $4 || '~'))
      AND ($5::text IS NULL OR p.run = $5)
      AND ($7::bigint IS NULL OR extract(epoch FROM p.recorded_at) * 1000000 >= $7)
),
page AS MATERIALIZED (
    SELECT m.run, s.project_id, s.workload, count(*) AS profiles, max(m.id) AS newest
    FROM members m JOIN series s ON s.id = m.series_id
    GROUP BY m.run, s.project_id, s.workload ORDER BY newest DESC LIMIT $8
)
SELECT r.run, j.name AS project, r.workload, coalesce(n.branch, p.branch) AS branch,
       coalesce(n.commit_sha, p.commit_sha) AS commit, p.label, r.profiles,
       'p' || r.newest AS newest_profile, measure_usual(m.value) AS step_us,
       'v' || v.id AS verdict,
       v.status, profile_captured_at(p.id) AS captured_at_utc, p.recorded_at AS recorded_at_utc
FROM page r
JOIN projects j ON j.id = r.project_id
JOIN present_profiles p ON p.id = r.newest
LEFT JOIN measures m ON m.series_id = p.recorded_series_id AND m.measure = 7
    AND m.profile_id = p.id
CROSS JOIN LATERAL matching_names(p.id, $3, $4) n
LEFT JOIN LATERAL (
    SELECT w.id, w.status FROM verdict_inputs i JOIN verdicts w ON w.id = i.verdict_id
    WHERE i.profile_id = r.newest AND i.side = 'candidate' ORDER BY w.id DESC LIMIT 1) v ON true
WHERE p.id = ANY (ARRAY(SELECT newest FROM page))
ORDER BY r.newest DESC;
