-- Canonical content of records of `track` (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, project_id bigint, workload text, document text, recorded_at timestamptz,
--     recorded_by text
COPY (
SELECT id, project_id, workload, document, recorded_at, recorded_by FROM track_records
WHERE id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY id
) TO STDOUT (FORMAT binary);
