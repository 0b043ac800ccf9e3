-- Profiles behind an id of whose sections no digests are kept, with the hash that they must make.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint, content_sha256 bytea
SELECT p.id, e.content_sha256
FROM profiles p JOIN entries e ON e.kind = 'profile' AND e.subject_id = p.id
WHERE p.id > $1
  AND NOT EXISTS (SELECT FROM content_sections c WHERE c.profile_id = p.id)
ORDER BY p.id LIMIT $2;
