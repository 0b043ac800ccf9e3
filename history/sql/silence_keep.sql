-- The end of the silence that an event of another ledger began.
-- Parameters: $1 alert_event_id bigint, $2 until text
-- Result: id bigint
INSERT INTO silences (project, workload, branch, until, reason, alert_event_id)
SELECT j.name, e.workload, nullif(e.branch, ''), $2::text::timestamptz, e.reason, e.id
FROM alert_events e JOIN projects j ON j.id = e.project_id WHERE e.id = $1
RETURNING id;
