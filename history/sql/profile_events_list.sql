-- What was said of a profile, in order.
-- Parameters: $1 profile_id bigint
-- Result: branch text, commit_sha text, label text
SELECT branch, commit_sha, label FROM profile_events WHERE profile_id = $1 ORDER BY id;
