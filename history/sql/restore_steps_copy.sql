-- Rows of profile_steps out of an archive: as their content has them, then their day.
-- Parameters: none
-- Copies: profile_id bigint, number bigint, warmup boolean, max_ps bigint, mean_ps bigint,
--     slowest_device integer, period_ps bigint, gap_before_ps bigint, recorded_on date
COPY profile_steps (profile_id, number, warmup, max_ps, mean_ps, slowest_device, period_ps,
                    gap_before_ps, recorded_on)
FROM STDIN (FORMAT binary);
