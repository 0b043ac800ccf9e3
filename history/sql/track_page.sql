-- Records of `track` behind an id, of one project and workload or of all.
-- Parameters: $1 after_id bigint, $2 project text, $3 workload text, $4 row_limit bigint
-- Result: id bigint, project text, workload text, document text
SELECT t.id, j.name, t.workload, t.document
FROM track_records t JOIN projects j ON j.id = t.project_id
WHERE t.id > $1 AND ($2::text IS NULL OR j.name = $2) AND ($3::text IS NULL OR t.workload = $3)
ORDER BY t.id LIMIT $4;
