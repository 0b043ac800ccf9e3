-- Canonical content of moves in the life of alerts (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, project_id bigint, workload text, branch text, from_state text,
--     to_state text, action text, good_count integer, verdict_id bigint, reason text,
--     recorded_at timestamptz, recorded_by text
COPY (
SELECT id, project_id, workload, branch, from_state, to_state, action, good_count, verdict_id,
       reason, recorded_at, recorded_by
FROM alert_events
WHERE id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY id
) TO STDOUT (FORMAT binary);
