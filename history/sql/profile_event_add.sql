-- Where known bytes belong. Appended only when it says something that no earlier event of the
-- profile says, or when it is the first.
-- Parameters: $1 profile_id bigint, $2 branch text, $3 commit_sha text, $4 label text
-- Result: id bigint
INSERT INTO profile_events (profile_id, branch, commit_sha, label)
SELECT $1, $2, $3, $4
WHERE NOT EXISTS (
    SELECT FROM profile_events e
    WHERE e.profile_id = $1
      AND ($2::text IS NULL OR e.branch = $2)
      AND ($3::text IS NULL OR e.commit_sha = $3)
      AND ($4::text IS NULL OR e.label = $4))
RETURNING id;
