-- Canonical content of projects (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, name text, recorded_at timestamptz
COPY (
SELECT id, name, recorded_at FROM projects
WHERE id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY id
) TO STDOUT (FORMAT binary);
