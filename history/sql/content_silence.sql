-- Canonical content of silences (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, project text, workload text, branch text, until timestamptz, reason text,
--     alert_event_id bigint, recorded_at timestamptz, recorded_by text
COPY (
SELECT id, project, workload, branch, until, reason, alert_event_id, recorded_at, recorded_by
FROM silences
WHERE id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY id
) TO STDOUT (FORMAT binary);
