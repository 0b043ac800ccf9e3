-- Series behind an id, with what identifies them.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint, project text, workload text, device_type text, device_count bigint,
--     host_count bigint, topology text, definition_version bigint
SELECT s.id, j.name, s.workload, s.device_type, s.device_count, s.host_count, s.topology,
       s.definition_version
FROM series s JOIN projects j ON j.id = s.project_id
WHERE s.id > $1 ORDER BY s.id LIMIT $2;
