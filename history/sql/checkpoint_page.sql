-- Checkpoints between two numbers, the newest first.
-- Parameters: $1 after_id bigint, $2 before_id bigint, $3 row_limit bigint
-- Result: id bigint, document text, root_sha256 bytea, recorded_by text
SELECT c.id, c.document, c.root_sha256, c.recorded_by FROM checkpoints c
WHERE c.id > $1 AND c.id < $2 ORDER BY c.id DESC LIMIT $3;
