-- A person's acceptance of the change that a verdict judged.
-- Parameters: $1 verdict_id bigint, $2 change_key text, $3 reason text
-- Result: id bigint
INSERT INTO acceptances (verdict_id, project_id, workload, change_key, reason)
SELECT v.id, v.project_id, v.workload, $2, $3 FROM verdicts v WHERE v.id = $1
RETURNING id;
