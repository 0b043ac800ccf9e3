-- The profiles of the last runs of a workload on a branch, newest run first.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 series_id bigint,
--     $5 run_limit bigint, $6 before_id bigint, $7 excluded bigint[],
--     $8 since_id bigint
-- Result: id bigint, run text, archived boolean
WITH members AS (
    SELECT p.id, p.run, p.recorded_on
    FROM projects j
    JOIN series s ON s.project_id = j.id AND s.workload = $2
    JOIN profiles p ON p.series_id = s.id
    WHERE j.name = $1
      AND ($4::bigint IS NULL OR s.id = $4)
      AND ($6::bigint IS NULL OR p.id < $6)
      AND ($8::bigint IS NULL OR p.id > $8)
      AND ($3::text IS NULL OR EXISTS (
          SELECT FROM profile_events e
          WHERE e.profile_id = p.id AND e.branch = $3
            AND ($6::bigint IS NULL
                 OR e.id < (SELECT min(b.id) FROM profile_events b WHERE b.profile_id = $6))))
      AND NOT EXISTS (
          SELECT FROM profiles x JOIN series xs ON xs.id = x.series_id
          WHERE x.id = ANY ($7::bigint[]) AND x.run = p.run
            AND xs.project_id = j.id AND xs.workload = s.workload)
),
runs AS (
    SELECT run, max(id) AS newest FROM members GROUP BY run ORDER BY newest DESC LIMIT $5
)
SELECT m.id, m.run, ledger_month_archive(m.recorded_on) IS NOT NULL
FROM members m JOIN runs r ON r.run = m.run ORDER BY r.newest DESC, m.id DESC;
