-- What the ledger knows of a capture: its project, its series, and the profile when its bytes are
-- known there. NULL for what is new; no row when the project is.
-- Parameters: $1 project text, $2 trace_sha256 text, $3 workload text, $4 device_type text,
--     $5 device_count bigint, $6 host_count bigint, $7 topology text,
--     $8 definition_version bigint
-- Result: project_id bigint, series_id bigint, profile_id bigint, profile_series_id bigint,
--     run text, workload text
SELECT j.id, s.id, p.id, p.series_id, p.run, o.workload
FROM projects j
LEFT JOIN series s ON s.project_id = j.id AND s.workload = $3 AND s.definition_version = $8
    AND s.device_type IS NOT DISTINCT FROM $4 AND s.device_count IS NOT DISTINCT FROM $5
    AND s.host_count IS NOT DISTINCT FROM $6 AND s.topology IS NOT DISTINCT FROM $7
LEFT JOIN profiles p ON p.project_id = j.id AND p.trace_sha256 = decode($2, 'hex')
LEFT JOIN series o ON o.id = p.series_id
WHERE j.name = $1;
