-- The series of another workload that is otherwise the same.
-- Parameters: $1 series_id bigint, $2 workload text
-- Result: id bigint
SELECT o.id FROM series s
JOIN series o ON o.project_id = s.project_id AND o.workload = $2
    AND o.definition_version = s.definition_version
    AND o.device_type IS NOT DISTINCT FROM s.device_type
    AND o.device_count IS NOT DISTINCT FROM s.device_count
    AND o.host_count IS NOT DISTINCT FROM s.host_count
    AND o.topology IS NOT DISTINCT FROM s.topology
WHERE s.id = $1;
