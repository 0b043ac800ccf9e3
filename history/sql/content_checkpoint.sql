-- Canonical content of checkpoints (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: id bigint, root_sha256 bytea, chain_count bigint, document text,
--     recorded_at timestamptz, recorded_by text
SELECT id, root_sha256, chain_count, document, recorded_at, recorded_by FROM checkpoints
WHERE id BETWEEN $1 AND $2 ORDER BY id;
