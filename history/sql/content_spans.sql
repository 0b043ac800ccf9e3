-- Canonical content of profiles: each step on each device; spans of the host come last
-- (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: profile_id bigint, number bigint, device integer, start_ps bigint, duration_ps bigint
SELECT profile_id, number, device, start_ps, duration_ps
FROM step_spans
WHERE profile_id BETWEEN $1 AND $2
ORDER BY profile_id, number, device NULLS LAST, start_ps, duration_ps;
