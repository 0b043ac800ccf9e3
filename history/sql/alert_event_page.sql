-- Moves of alerts behind an id, with the end of the silence that one began, and when and by whom
-- they were recorded first.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint, project text, workload text, branch text, from_state text, to_state text,
--     action text, good_count integer, verdict_id bigint, reason text, until timestamptz,
--     recorded_at timestamptz, recorded_by text
SELECT e.id, j.name, e.workload, e.branch, e.from_state, e.to_state, e.action, e.good_count,
       e.verdict_id, e.reason, s.until, coalesce(o.recorded_at, e.recorded_at),
       coalesce(o.recorded_by, entry_author('alert', e.id, e.recorded_by))
FROM alert_events e
JOIN projects j ON j.id = e.project_id
LEFT JOIN silences s ON s.alert_event_id = e.id
LEFT JOIN origins o ON o.kind = 'alert' AND o.subject_id = e.id
WHERE e.id > $1 ORDER BY e.id LIMIT $2;
