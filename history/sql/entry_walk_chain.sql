-- The entries of one chain behind a position.
-- Parameters: $1 chain text, $2 position bigint, $3 row_limit bigint
-- Result: chain text, position bigint, kind text, subject_id bigint, supersedes bigint,
--     content_version integer, content_sha256 bytea, previous_sha256 bytea,
--     recorded_at timestamptz, entry_sha256 bytea, recorded_by text, on_behalf_of text
SELECT chain, position, kind, subject_id, supersedes, content_version, content_sha256,
       previous_sha256, recorded_at, entry_sha256, recorded_by, on_behalf_of
FROM entries WHERE chain = $1 AND position > $2
ORDER BY position LIMIT $3;
