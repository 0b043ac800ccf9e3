-- Canonical content of events of profiles (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: id bigint, profile_id bigint, branch text, commit_sha text, label text,
--     recorded_at timestamptz, recorded_by text
SELECT id, profile_id, branch, commit_sha, label, recorded_at, recorded_by FROM profile_events
WHERE id BETWEEN $1 AND $2 ORDER BY id;
