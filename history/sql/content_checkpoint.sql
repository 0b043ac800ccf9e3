-- Canonical content of checkpoints (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, root_sha256 bytea, chain_count bigint, document text,
--     recorded_at timestamptz, recorded_by text
COPY (
SELECT id, root_sha256, chain_count, document, recorded_at, recorded_by FROM checkpoints
WHERE id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY id
) TO STDOUT (FORMAT binary);
