-- Canonical content of reports (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, project_id bigint, name text, since_at timestamptz, until_at timestamptz,
--     document text, recorded_at timestamptz, recorded_by text
COPY (
SELECT id, project_id, name, since_at, until_at, document, recorded_at, recorded_by FROM reports
WHERE id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY id
) TO STDOUT (FORMAT binary);
