-- Canonical content of acceptances (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: id bigint, verdict_id bigint, project_id bigint, workload text, change_key text,
--     reason text, recorded_at timestamptz, recorded_by text
SELECT id, verdict_id, project_id, workload, change_key, reason, recorded_at, recorded_by
FROM acceptances
WHERE id BETWEEN $1 AND $2 ORDER BY id;
