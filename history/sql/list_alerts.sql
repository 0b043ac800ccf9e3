-- Alerts as they stand, those that moved last first; status NULL: those that are not resolved.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 commit text, $5 run text,
--     $6 status text, $7 since_us bigint, $8 row_limit bigint
-- Result: alert text, status text, project text, workload text, series text, branch text,
--     verdict text, moved_at_utc timestamptz
WITH life AS (
    SELECT e.id, e.project_id, e.workload, v.series_id, e.branch, e.to_state, e.verdict_id,
           coalesce(o.recorded_at, e.recorded_at) AS recorded_at,
           row_number() OVER (PARTITION BY e.project_id, e.workload, v.series_id, e.branch
                              ORDER BY e.id DESC) AS age,
           first_value(e.id) OVER (PARTITION BY e.project_id, e.workload, v.series_id, e.branch
                                   ORDER BY e.id) AS first_id
    FROM alert_events e
    LEFT JOIN verdicts v ON v.id = e.verdict_id
    LEFT JOIN origins o ON o.kind = 'alert' AND o.subject_id = e.id
    WHERE $4::text IS NULL AND $5::text IS NULL
)
SELECT 'l' || l.first_id AS alert, l.to_state AS status, j.name AS project, l.workload,
       's' || l.series_id AS series, nullif(l.branch, '') AS branch,
       'v' || l.verdict_id AS verdict, l.recorded_at AS moved_at_utc
FROM life l JOIN projects j ON j.id = l.project_id
WHERE l.age = 1 AND ($1::text IS NULL OR j.name = $1) AND ($2::text IS NULL OR l.workload = $2)
  AND ($3::text IS NULL OR l.branch = $3)
  AND CASE coalesce($6::text, 'unresolved')
      WHEN 'all' THEN true
      WHEN 'unresolved' THEN l.to_state <> 'resolved'
      ELSE l.to_state = $6 END
  AND ($7::bigint IS NULL OR extract(epoch FROM l.recorded_at) * 1000000 >= $7)
ORDER BY l.id DESC LIMIT $8;
