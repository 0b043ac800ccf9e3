-- The series of another workload that is otherwise the same, unless another transaction was faster.
-- Parameters: $1 series_id bigint, $2 workload text
-- Result: id bigint, chain text
INSERT INTO series (project_id, workload, device_type, device_count, host_count, topology,
                    definition_version)
SELECT s.project_id, $2, s.device_type, s.device_count, s.host_count, s.topology,
       s.definition_version
FROM series s WHERE s.id = $1
ON CONFLICT DO NOTHING
RETURNING id, 'j' || project_id;
