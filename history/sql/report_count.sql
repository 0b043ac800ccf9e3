-- How often a project has exactly this report.
-- Parameters: $1 project text, $2 document text
-- Result: reports bigint
SELECT count(*) AS reports FROM projects j JOIN reports r ON r.project_id = j.id
WHERE j.name = $1 AND r.document = $2;
