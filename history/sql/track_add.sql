-- A record of `track`, unless it is known (no row then).
-- Parameters: $1 project_id bigint, $2 workload text, $3 document text
-- Result: id bigint, chain text
INSERT INTO track_records (project_id, workload, document, document_sha256)
SELECT $1, $2, $3::text, sha256(convert_to($3::text, 'UTF8'))
WHERE NOT EXISTS (SELECT FROM track_records t
                  WHERE t.project_id = $1 AND t.workload = $2
                    AND t.document_sha256 = sha256(convert_to($3::text, 'UTF8')))
ON CONFLICT DO NOTHING
RETURNING id, 'j' || project_id;
