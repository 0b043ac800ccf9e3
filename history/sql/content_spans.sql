-- Canonical content of profiles: each step on each device; spans of the host come last
-- (history/canonical.h).
-- Parameters: none
-- Copies: profile_id bigint, number bigint, device integer, start_ps bigint, duration_ps bigint
COPY (
SELECT profile_id, number, device, start_ps, duration_ps
FROM step_spans
WHERE profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY profile_id, number, device NULLS LAST, start_ps, duration_ps
) TO STDOUT (FORMAT binary);
