-- Canonical content of profiles: the steps (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: profile_id bigint, number bigint, warmup boolean, max_ps bigint, mean_ps bigint,
--     slowest_device integer, period_ps bigint, gap_before_ps bigint
SELECT profile_id, number, warmup, max_ps, mean_ps, slowest_device, period_ps, gap_before_ps
FROM profile_steps
WHERE profile_id BETWEEN $1 AND $2 ORDER BY profile_id, number;
