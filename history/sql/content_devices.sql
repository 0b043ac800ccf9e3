-- Canonical content of profiles: the devices (history/chain/canonical.h).
-- A row of another day than its profile belongs to nobody: readers do not find it.
-- Parameters: none
-- Copies: profile_id bigint, ordinal integer, name text, host text, window_ps bigint,
--     busy_ps bigint, idle_ps bigint, compute_ps bigint, exposed_comm_ps bigint,
--     overlapped_comm_ps bigint, exposed_copy_ps bigint, steady_step_median_ps bigint,
--     op_count bigint
COPY (
SELECT CASE WHEN p.recorded_on <> r.recorded_on THEN NULL ELSE r.profile_id END, r.ordinal, r.name,
       r.host, r.window_ps, r.busy_ps, r.idle_ps, r.compute_ps, r.exposed_comm_ps,
       r.overlapped_comm_ps, r.exposed_copy_ps, r.steady_step_median_ps, r.op_count
FROM profile_devices r
LEFT JOIN profiles p
    ON p.id = r.profile_id
    AND p.id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
        AND (SELECT current_setting('stepledger.last')::bigint)
WHERE r.profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY r.profile_id, r.ordinal
) TO STDOUT (FORMAT binary);
