-- The steps of a profile.
-- Parameters: none
-- Copies: profile_id bigint, number bigint, warmup boolean, max_ps bigint, mean_ps bigint,
--     slowest_device integer, period_ps bigint, gap_before_ps bigint
COPY profile_steps (profile_id, number, warmup, max_ps, mean_ps, slowest_device, period_ps,
                    gap_before_ps)
FROM STDIN (FORMAT binary);
