-- What the ledger knows of a capture's place: its project and its series. NULL for what is new; no
-- row when the project is.
-- Parameters: $1 project text, $2 workload text, $3 device_type text, $4 device_count bigint,
--     $5 host_count bigint, $6 topology text, $7 definition_version bigint
-- Result: project_id bigint, series_id bigint
SELECT j.id, s.id
FROM projects j
LEFT JOIN series s ON s.project_id = j.id AND s.workload = $2 AND s.definition_version = $7
    AND s.device_type IS NOT DISTINCT FROM $3 AND s.device_count IS NOT DISTINCT FROM $4
    AND s.host_count IS NOT DISTINCT FROM $5 AND s.topology IS NOT DISTINCT FROM $6
WHERE j.name = $1;
