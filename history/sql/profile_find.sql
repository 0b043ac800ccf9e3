-- The profile of these bytes in a project.
-- Parameters: $1 project_id bigint, $2 trace_sha256 text
-- Result: id bigint, series_id bigint, run text, workload text
SELECT p.id, p.series_id, p.run, s.workload
FROM profiles p JOIN series s ON s.id = p.series_id
WHERE p.project_id = $1 AND p.trace_sha256 = decode($2, 'hex');
