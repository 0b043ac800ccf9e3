-- A person's acceptance of the change that a verdict judged. by: who says so, beside the session's
-- own name; NULL = nobody but it. One that was exported has the session's name already.
-- Parameters: $1 verdict_id bigint, $2 change_key text, $3 reason text, $4 by text
-- Result: id bigint, chain text
INSERT INTO acceptances (verdict_id, project_id, workload, change_key, reason, recorded_by)
SELECT v.id, v.project_id, v.workload, $2, $3,
       CASE WHEN $4::text = session_user OR starts_with(reverse($4::text),
                                                        reverse(' as ' || session_user))
            THEN $4::text
            ELSE concat_ws(' as ', $4::text, session_user) END
FROM verdicts v WHERE v.id = $1
RETURNING id, 'j' || project_id;
