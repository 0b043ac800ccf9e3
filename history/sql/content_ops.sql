-- Canonical content of profiles: the op table (history/chain/canonical.h).
-- A row of another day than its profile belongs to nobody: readers do not find it.
-- Parameters: none
-- Copies: profile_id bigint, ordinal integer, signature_id uuid, max_device integer,
--     asynchronous boolean, program text, phase text, count bigint, device_count bigint,
--     total_ps bigint, self_ps bigint, max_device_self_ps bigint, steady_count bigint,
--     steady_self_ps bigint, flops float8, bytes_accessed float8
COPY (
SELECT CASE WHEN p.recorded_on <> r.recorded_on THEN NULL ELSE r.profile_id END, r.ordinal,
       r.signature_id, r.max_device, r.asynchronous, r.program, r.phase, r.count, r.device_count,
       r.total_ps, r.self_ps, r.max_device_self_ps, r.steady_count, r.steady_self_ps, r.flops,
       r.bytes_accessed
FROM op_rows r
LEFT JOIN profiles p
    ON p.id = r.profile_id
    AND p.id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
        AND (SELECT current_setting('stepledger.last')::bigint)
WHERE r.profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY r.profile_id, r.ordinal
) TO STDOUT (FORMAT binary);
