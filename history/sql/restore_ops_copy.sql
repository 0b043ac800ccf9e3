-- Rows of op_rows out of an archive: as their content has them, then their day.
-- Parameters: none
-- Copies: profile_id bigint, ordinal integer, signature_id uuid, max_device integer,
--     asynchronous boolean, program text, phase text, count bigint, device_count bigint,
--     total_ps bigint, self_ps bigint, max_device_self_ps bigint, steady_count bigint,
--     steady_self_ps bigint, flops float8, bytes_accessed float8, recorded_on date
COPY op_rows (profile_id, ordinal, signature_id, max_device, asynchronous, program, phase, count,
              device_count, total_ps, self_ps, max_device_self_ps, steady_count, steady_self_ps,
              flops, bytes_accessed, recorded_on)
FROM STDIN (FORMAT binary);
