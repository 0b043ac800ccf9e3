-- Canonical content of profiles: the devices (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: profile_id bigint, ordinal integer, name text, host text, window_ps bigint,
--     busy_ps bigint, idle_ps bigint, compute_ps bigint, exposed_comm_ps bigint,
--     overlapped_comm_ps bigint, exposed_copy_ps bigint, steady_step_median_ps bigint,
--     op_count bigint
SELECT profile_id, ordinal, name, host, window_ps, busy_ps, idle_ps, compute_ps, exposed_comm_ps,
       overlapped_comm_ps, exposed_copy_ps, steady_step_median_ps, op_count
FROM profile_devices
WHERE profile_id BETWEEN $1 AND $2 ORDER BY profile_id, ordinal;
