-- Rows of profile_devices out of an archive: as their content has them, then their day.
-- Parameters: none
-- Copies: profile_id bigint, ordinal integer, name text, host text, window_ps bigint,
--     busy_ps bigint, idle_ps bigint, compute_ps bigint, exposed_comm_ps bigint,
--     overlapped_comm_ps bigint, exposed_copy_ps bigint, steady_step_median_ps bigint,
--     op_count bigint, recorded_on date
COPY profile_devices (profile_id, ordinal, name, host, window_ps, busy_ps, idle_ps, compute_ps,
                      exposed_comm_ps, overlapped_comm_ps, exposed_copy_ps, steady_step_median_ps,
                      op_count, recorded_on)
FROM STDIN (FORMAT binary);
