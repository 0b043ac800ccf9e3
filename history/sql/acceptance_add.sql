-- A person's acceptance of the change that a verdict judged. by: who says so, beside the session's
-- own name, as the entry will say it; NULL = nobody but it.
-- Parameters: $1 verdict_id bigint, $2 change_key text, $3 reason text, $4 by text
-- Result: id bigint, chain text, author text
INSERT INTO acceptances (verdict_id, project_id, workload, change_key, reason)
SELECT v.id, v.project_id, v.workload, $2, $3 FROM verdicts v WHERE v.id = $1
RETURNING id, 'j' || project_id, recorded_for(recorded_by, $4);
