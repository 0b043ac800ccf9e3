-- A new series, unless another transaction was faster.
-- Parameters: $1 project_id bigint, $2 workload text, $3 device_type text,
--     $4 device_count bigint, $5 host_count bigint, $6 topology text,
--     $7 definition_version bigint
-- Result: id bigint, chain text
INSERT INTO series (project_id, workload, device_type, device_count, host_count, topology,
                    definition_version)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT DO NOTHING
RETURNING id, 'j' || project_id;
