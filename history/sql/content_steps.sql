-- Canonical content of profiles: the steps (history/canonical.h).
-- Parameters: none
-- Copies: profile_id bigint, number bigint, warmup boolean, max_ps bigint, mean_ps bigint,
--     slowest_device integer, period_ps bigint, gap_before_ps bigint
COPY (
SELECT profile_id, number, warmup, max_ps, mean_ps, slowest_device, period_ps, gap_before_ps
FROM profile_steps
WHERE profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY profile_id, number
) TO STDOUT (FORMAT binary);
