-- Whether a workload has a verdict of exactly this document.
-- Parameters: $1 project text, $2 workload text, $3 document text
-- Result: known boolean
SELECT EXISTS (SELECT FROM verdicts v JOIN projects j ON j.id = v.project_id
               WHERE j.name = $1 AND v.workload = $2 AND v.document = $3);
