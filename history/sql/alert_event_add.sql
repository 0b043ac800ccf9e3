-- A move in the life of an alert. from_state NULL: its first. by: who says so, beside the
-- session's own name; NULL = nobody but it. One that was exported has the session's name already.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 from_state text,
--     $5 to_state text, $6 action text, $7 good_count integer, $8 verdict_id bigint,
--     $9 reason text, $10 by text
-- Result: id bigint, chain text
INSERT INTO alert_events (project_id, workload, branch, from_state, to_state, action, good_count,
                          verdict_id, reason, recorded_by)
SELECT j.id, $2, $3, $4, $5, $6, $7, $8, $9,
       CASE WHEN $10::text = session_user OR starts_with(reverse($10::text),
                                                         reverse(' as ' || session_user))
            THEN $10::text
            ELSE concat_ws(' as ', $10::text, session_user) END
FROM projects j WHERE j.name = $1
RETURNING id, 'j' || project_id;
