-- Canonical content of series (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, project_id bigint, workload text, device_type text, device_count bigint,
--     host_count bigint, topology text, definition_version bigint, recorded_at timestamptz
COPY (
SELECT id, project_id, workload, device_type, device_count, host_count, topology,
       definition_version, recorded_at
FROM series
WHERE id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY id
) TO STDOUT (FORMAT binary);
