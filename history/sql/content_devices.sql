-- Canonical content of profiles: the devices (history/canonical.h).
-- Parameters: none
-- Copies: profile_id bigint, ordinal integer, name text, host text, window_ps bigint,
--     busy_ps bigint, idle_ps bigint, compute_ps bigint, exposed_comm_ps bigint,
--     overlapped_comm_ps bigint, exposed_copy_ps bigint, steady_step_median_ps bigint,
--     op_count bigint
COPY (
SELECT profile_id, ordinal, name, host, window_ps, busy_ps, idle_ps, compute_ps, exposed_comm_ps,
       overlapped_comm_ps, exposed_copy_ps, steady_step_median_ps, op_count
FROM profile_devices
WHERE profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY profile_id, ordinal
) TO STDOUT (FORMAT binary);
