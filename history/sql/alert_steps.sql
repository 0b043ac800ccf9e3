-- The last moves that verdicts made in the life of an alert, newest first.
-- Parameters: $1 project text, $2 workload text, $3 series text, $4 branch text, $5 limit bigint
-- Result: from_state text, action text
SELECT coalesce(e.from_state, 'none'), e.action
FROM alert_events e
JOIN projects j ON j.id = e.project_id
JOIN verdicts v ON v.id = e.verdict_id
WHERE j.name = $1 AND e.workload = $2 AND coalesce('s' || v.series_id, '') = $3 AND e.branch = $4
  AND e.reason IS NULL
ORDER BY e.id DESC
LIMIT $5;
