-- A checkpoint under the number that this session reserved last.
-- Parameters: $1 root_sha256 bytea, $2 chain_count bigint, $3 document text
-- Result: id bigint
INSERT INTO checkpoints (root_sha256, chain_count, document) VALUES ($1, $2, $3)
RETURNING id;
