-- Canonical content of profiles: the op table (history/canonical.h).
-- Parameters: none
-- Copies: profile_id bigint, ordinal integer, signature_id uuid, max_device integer,
--     asynchronous boolean, program text, phase text, count bigint, device_count bigint,
--     total_ps bigint, self_ps bigint, max_device_self_ps bigint, steady_count bigint,
--     steady_self_ps bigint, flops float8, bytes_accessed float8
COPY (
SELECT profile_id, ordinal, signature_id, max_device, asynchronous, program, phase, count,
       device_count, total_ps, self_ps, max_device_self_ps, steady_count, steady_self_ps, flops,
       bytes_accessed
FROM op_rows
WHERE profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY profile_id, ordinal
) TO STDOUT (FORMAT binary);
