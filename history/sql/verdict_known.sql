-- The verdict of a workload that has exactly this document, the first if there are several; no row
-- when there is none.
-- Parameters: $1 project text, $2 workload text, $3 document text
-- Result: id bigint
SELECT v.id FROM verdicts v JOIN projects j ON j.id = v.project_id
WHERE j.name = $1 AND v.workload = $2 AND v.document = $3 ORDER BY v.id LIMIT 1;
