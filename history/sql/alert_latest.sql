-- The last event of an alert. The caller has the lock of the workload.
-- Parameters: $1 project text, $2 workload text, $3 branch text
-- Result: state text, good_count integer
SELECT e.to_state, e.good_count
FROM alert_events e JOIN projects j ON j.id = e.project_id
WHERE j.name = $1 AND e.workload = $2 AND e.branch = $3
ORDER BY e.id DESC LIMIT 1;
