-- The id of a series by everything that identifies it.
-- Parameters: $1 project_id bigint, $2 workload text, $3 device_type text,
--     $4 device_count bigint, $5 host_count bigint, $6 topology text,
--     $7 definition_version bigint
-- Result: id bigint
SELECT id FROM series
WHERE project_id = $1 AND workload = $2 AND definition_version = $7
  AND device_type IS NOT DISTINCT FROM $3 AND device_count IS NOT DISTINCT FROM $4
  AND host_count IS NOT DISTINCT FROM $5 AND topology IS NOT DISTINCT FROM $6;
