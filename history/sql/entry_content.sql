-- The content hash of a subject's entry.
-- Parameters: $1 kind text, $2 subject_id bigint
-- Result: content_sha256 bytea
SELECT content_sha256 FROM entries WHERE kind = $1 AND subject_id = $2;
