-- The devices of a profile, column by column.
-- Parameters: $1 profile_ids bigint[], $2 ordinals integer[], $3 names text[], $4 hosts text[],
--     $5 window_ps bigint[], $6 busy_ps bigint[], $7 idle_ps bigint[], $8 compute_ps bigint[],
--     $9 exposed_comm_ps bigint[], $10 overlapped_comm_ps bigint[], $11 exposed_copy_ps bigint[],
--     $12 steady_step_median_ps bigint[], $13 op_counts bigint[]
-- Result: none
INSERT INTO profile_devices (profile_id, ordinal, name, host, window_ps, busy_ps, idle_ps,
                             compute_ps, exposed_comm_ps, overlapped_comm_ps, exposed_copy_ps,
                             steady_step_median_ps, op_count)
SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::bigint[],
                     $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[],
                     $11::bigint[], $12::bigint[], $13::bigint[]);
