-- Workloads with their profiles that count, the one with the newest profile first.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 commit text, $5 run text,
--     $6 status text, $7 since_us bigint, $8 row_limit bigint
-- Result: workload text, project text, series bigint, profiles bigint, runs bigint,
--     newest_profile text, verdict text, status text, recorded_at_utc timestamptz
WITH scope AS MATERIALIZED (
    SELECT coalesce(array_agg(s.id), '{}') AS series
    FROM projects j JOIN series s ON s.project_id = j.id
    WHERE ($1::text IS NULL OR j.name = $1) AND ($2::text IS NULL OR s.workload = $2)
),
members AS (
    SELECT s.project_id, s.workload, count(p.id) AS profiles, count(DISTINCT p.run) AS runs,
           max(p.id) AS newest, max(p.recorded_at) AS recorded_at
    FROM present_profiles p JOIN series s ON s.id = p.series_id
    WHERE p.series_id = ANY ((SELECT series FROM scope)::bigint[])
      AND $3::text IS NULL AND $4::text IS NULL AND $5::text IS NULL AND $6::text IS NULL
      AND p.retracted_at IS NULL AND p.superseded_by IS NULL
    GROUP BY s.project_id, s.workload
),
known AS (
    SELECT s.project_id, s.workload, count(*) AS series FROM series s
    WHERE s.id = ANY ((SELECT series FROM scope)::bigint[]) GROUP BY s.project_id, s.workload
)
SELECT k.workload, j.name AS project, k.series, coalesce(m.profiles, 0) AS profiles,
       coalesce(m.runs, 0) AS runs, 'p' || m.newest AS newest_profile, 'v' || v.id AS verdict,
       v.status, m.recorded_at AS recorded_at_utc
FROM known k
JOIN projects j ON j.id = k.project_id
LEFT JOIN members m ON m.project_id = k.project_id AND m.workload = k.workload
LEFT JOIN LATERAL (
    SELECT w.id, w.status FROM verdicts w
    WHERE w.project_id = k.project_id AND w.workload = k.workload
    ORDER BY w.id DESC LIMIT 1) v ON true
WHERE $7::bigint IS NULL OR extract(epoch FROM m.recorded_at) * 1000000 >= $7
ORDER BY m.newest DESC NULLS LAST, k.workload LIMIT $8;
