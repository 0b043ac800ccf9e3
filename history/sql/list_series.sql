-- Series with their profiles that count, the one with the newest profile first.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 commit text, $5 run text,
--     $6 status text, $7 since_us bigint, $8 row_limit bigint
-- Result: series text, project text, workload text, device_type text, device_count bigint,
--     host_count bigint, topology text, definition_version bigint, profiles bigint, runs bigint,
--     newest_profile text, recorded_at_utc timestamptz
WITH scope AS MATERIALIZED (
    SELECT coalesce(array_agg(s.id), '{}') AS series
    FROM projects j JOIN series s ON s.project_id = j.id
    WHERE ($1::text IS NULL OR j.name = $1) AND ($2::text IS NULL OR s.workload = $2)
),
members AS (
    SELECT p.series_id, count(*) AS profiles, count(DISTINCT p.run) AS runs, max(p.id) AS newest,
           max(p.recorded_at) AS recorded_at
    FROM present_profiles p
    WHERE p.series_id = ANY ((SELECT series FROM scope)::bigint[])
      AND $3::text IS NULL AND $4::text IS NULL AND $5::text IS NULL AND $6::text IS NULL
      AND p.retracted_at IS NULL AND p.superseded_by IS NULL
    GROUP BY p.series_id
)
SELECT 's' || s.id AS series, j.name AS project, s.workload, s.device_type, s.device_count,
       s.host_count, s.topology, s.definition_version, coalesce(m.profiles, 0) AS profiles,
       coalesce(m.runs, 0) AS runs, 'p' || m.newest AS newest_profile,
       m.recorded_at AS recorded_at_utc
FROM series s
JOIN projects j ON j.id = s.project_id
LEFT JOIN members m ON m.series_id = s.id
WHERE s.id = ANY ((SELECT series FROM scope)::bigint[])
  AND ($7::bigint IS NULL OR extract(epoch FROM m.recorded_at) * 1000000 >= $7)
ORDER BY m.newest DESC NULLS LAST, s.id DESC LIMIT $8;
