-- Canonical content of policies (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, sha256 bytea, document text, recorded_at timestamptz, recorded_by text
COPY (
SELECT id, sha256, document, recorded_at, recorded_by FROM policies
WHERE id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY id
) TO STDOUT (FORMAT binary);
