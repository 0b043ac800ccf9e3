-- Canonical content of amendments (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, profile_id bigint, ordinal integer, action text, reason text,
--     series_id bigint, workload text, run text, branch text, branch_after bigint,
--     commit_sha text, commit_after bigint, label text, label_after bigint, retracted boolean,
--     superseded_by bigint, recorded_at timestamptz, recorded_by text
COPY (
SELECT a.id, a.profile_id, a.ordinal, a.action, a.reason, a.series_id, s.workload, a.run,
       a.branch, a.branch_after, a.commit_sha, a.commit_after, a.label, a.label_after, a.retracted,
       a.superseded_by, a.recorded_at, a.recorded_by
FROM amendments a JOIN series s ON s.id = a.series_id
WHERE a.id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY a.id
) TO STDOUT (FORMAT binary);
