-- A move in the life of an alert. from_state NULL: its first.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 from_state text,
--     $5 to_state text, $6 action text, $7 good_count integer, $8 verdict_id bigint,
--     $9 reason text
-- Result: id bigint, chain text
INSERT INTO alert_events (project_id, workload, branch, from_state, to_state, action, good_count,
                          verdict_id, reason)
SELECT j.id, $2, $3, $4, $5, $6, $7, $8, $9 FROM projects j WHERE j.name = $1
RETURNING id, 'j' || project_id;
