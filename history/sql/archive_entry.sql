-- The entry of a profile, and its day, for an archive that holds its contents.
-- Parameters: $1 profile_id bigint
-- Result: content_sha256 bytea, days_since_2000 integer
SELECT e.content_sha256, p.recorded_on - date '2000-01-01'
FROM profiles p JOIN entries e ON e.kind = 'profile' AND e.subject_id = p.id
WHERE p.id = $1;
