-- Projects with their profiles that count, the one with the newest profile first.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 commit text, $5 run text,
--     $6 status text, $7 since_us bigint, $8 row_limit bigint
-- Result: project text, workloads bigint, profiles bigint, newest_profile text, verdicts bigint,
--     recorded_at_utc timestamptz
WITH members AS (
    SELECT p.project_id, count(*) AS profiles, max(p.id) AS newest,
           max(p.recorded_at) AS recorded_at
    FROM present_profiles p
    WHERE $2::text IS NULL AND $3::text IS NULL AND $4::text IS NULL AND $5::text IS NULL
      AND $6::text IS NULL AND p.retracted_at IS NULL AND p.superseded_by IS NULL
    GROUP BY p.project_id
)
SELECT j.name AS project,
       (SELECT count(DISTINCT s.workload) FROM series s WHERE s.project_id = j.id) AS workloads,
       coalesce(m.profiles, 0) AS profiles, 'p' || m.newest AS newest_profile,
       (SELECT count(*) FROM verdicts v WHERE v.project_id = j.id) AS verdicts,
       m.recorded_at AS recorded_at_utc
FROM projects j LEFT JOIN members m ON m.project_id = j.id
WHERE ($1::text IS NULL OR j.name = $1)
  AND ($7::bigint IS NULL OR extract(epoch FROM m.recorded_at) * 1000000 >= $7)
ORDER BY m.newest DESC NULLS LAST, j.name LIMIT $8;
