-- Canonical content of profiles: the header, with the names and the series it stands under
-- (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, project text, workload text, device_type text,
--     device_count bigint, host_count bigint, topology text, definition_version bigint,
--     project_id bigint, series_id bigint, run text, trace_sha256 bytea, schema_version text,
--     source_format text, source_path text, producer_version text, breakdown_mode text,
--     recorded_at timestamptz, recorded_by text
COPY (
SELECT p.id, j.name, s.workload, s.device_type, s.device_count, s.host_count, s.topology,
       s.definition_version, p.project_id, p.series_id, p.run, p.trace_sha256, p.schema_version,
       p.source_format, p.source_path, p.producer_version, p.breakdown_mode, p.recorded_at,
       p.recorded_by
FROM profiles p
JOIN projects j ON j.id = p.project_id
JOIN series s ON s.id = p.series_id
WHERE p.id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY p.id
) TO STDOUT (FORMAT binary);
