-- Verdicts of a project that were made in a period, by workload and status; those of another ledger
-- when it made them.
-- Parameters: $1 project text, $2 since_us bigint, $3 until_us bigint
-- Result: workload text, status text, verdicts bigint
SELECT v.workload, v.status, count(*) AS verdicts
FROM projects j JOIN verdicts v ON v.project_id = j.id
LEFT JOIN origins o ON o.kind = 'verdict' AND o.subject_id = v.id
WHERE j.name = $1
  AND coalesce(o.recorded_at, v.recorded_at) >= to_timestamp($2::bigint / 1000000.0)
  AND coalesce(o.recorded_at, v.recorded_at) < to_timestamp($3::bigint / 1000000.0)
GROUP BY v.workload, v.status
ORDER BY v.workload COLLATE "C", v.status COLLATE "C";
