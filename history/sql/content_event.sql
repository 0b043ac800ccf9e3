-- Canonical content of events of profiles (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, profile_id bigint, branch text, commit_sha text, label text,
--     recorded_at timestamptz, recorded_by text
COPY (
SELECT id, profile_id, branch, commit_sha, label, recorded_at, recorded_by FROM profile_events
WHERE id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY id
) TO STDOUT (FORMAT binary);
