-- 0304: figures of a step have their names in the views.
--
-- The name of a measure (schema/documents/measures.h); numbers are for good.
CREATE OR REPLACE FUNCTION measure_name(number integer) RETURNS text IMMUTABLE LANGUAGE sql
SET search_path = pg_catalog, pg_temp AS $$
    SELECT (ARRAY['step_median', 'step_p90', 'step_mean', 'step_min', 'step_max', 'steady_steps',
                  'steady_step_median', 'steady_step_p90', 'step_idle', 'compute_share',
                  'communication_share', 'host_share', 'stall_share', 'other_share',
                  'device_busy_share', 'device_idle_share', 'device_compute_share',
                  'exposed_communication_share', 'overlapped_communication_share',
                  'exposed_copy_share', 'device_skew', 'op_count', 'event_count', 'op_time',
                  'steady_step_period', 'steady_step_mean', 'device_memory', 'mfu',
                  'tokens_per_second_per_device', 'recompute_share', 'input_wait_share',
                  'hbm_peak', 'program_memory'])[number];
$$;
