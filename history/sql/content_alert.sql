-- Canonical content of moves in the life of alerts (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: id bigint, project_id bigint, workload text, branch text, from_state text,
--     to_state text, action text, good_count integer, verdict_id bigint, reason text,
--     recorded_at timestamptz, recorded_by text
SELECT id, project_id, workload, branch, from_state, to_state, action, good_count, verdict_id,
       reason, recorded_at, recorded_by
FROM alert_events
WHERE id BETWEEN $1 AND $2 ORDER BY id;
