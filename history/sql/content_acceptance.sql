-- Canonical content of acceptances (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, verdict_id bigint, project_id bigint, workload text, change_key text,
--     reason text, recorded_at timestamptz, recorded_by text
COPY (
SELECT id, verdict_id, project_id, workload, change_key, reason, recorded_at, recorded_by
FROM acceptances
WHERE id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY id
) TO STDOUT (FORMAT binary);
