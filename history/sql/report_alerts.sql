-- Alerts of a project that were neither resolved nor dismissed at a time, as they stood then, those
-- that moved last first.
-- Parameters: $1 project text, $2 until_us bigint
-- Result: alert text, status text, workload text, series text, branch text, verdict text,
--     moved_at timestamptz
WITH life AS (
    SELECT e.id, e.workload, v.series_id, e.branch, e.to_state, e.verdict_id,
           coalesce(o.recorded_at, e.recorded_at) AS recorded_at,
           row_number() OVER (PARTITION BY e.workload, v.series_id, e.branch
                              ORDER BY e.id DESC) AS age,
           first_value(e.id) OVER (PARTITION BY e.workload, v.series_id, e.branch
                                   ORDER BY e.id) AS first_id
    FROM projects j
    JOIN alert_events e ON e.project_id = j.id
    LEFT JOIN verdicts v ON v.id = e.verdict_id
    LEFT JOIN origins o ON o.kind = 'alert' AND o.subject_id = e.id
    WHERE j.name = $1
      AND coalesce(o.recorded_at, e.recorded_at) < to_timestamp($2::bigint / 1000000.0)
)
SELECT 'l' || first_id AS alert, to_state AS status, workload, 's' || series_id AS series,
       nullif(branch, '') AS branch, 'v' || verdict_id AS verdict, recorded_at AS moved_at
FROM life WHERE age = 1 AND to_state NOT IN ('resolved', 'dismissed')
ORDER BY id DESC;
