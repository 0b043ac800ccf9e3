-- Which alert an event belongs to.
-- Parameters: $1 id bigint
-- Result: project text, workload text, series text, branch text
SELECT j.name, e.workload, coalesce('s' || v.series_id, ''), e.branch
FROM alert_events e
JOIN projects j ON j.id = e.project_id
JOIN verdicts v ON v.id = e.verdict_id
WHERE e.id = $1;
