-- The entries of one kind behind a subject, by subject.
-- Parameters: $1 kind text, $2 subject_id bigint, $3 row_limit bigint
-- Result: subject_id bigint, chain text, position bigint, content_sha256 bytea,
--     recorded_by text
SELECT subject_id, chain, position, content_sha256, recorded_by
FROM entries WHERE kind = $1 AND subject_id > $2
ORDER BY subject_id LIMIT $3;
