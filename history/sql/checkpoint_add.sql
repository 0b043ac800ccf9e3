-- A checkpoint under its reserved number.
-- Parameters: $1 id bigint, $2 root_sha256 bytea, $3 chain_count bigint, $4 document text
-- Result: none
INSERT INTO checkpoints (id, root_sha256, chain_count, document)
OVERRIDING SYSTEM VALUE
VALUES ($1, $2, $3, $4);
