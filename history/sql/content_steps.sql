-- Canonical content of profiles: the steps (history/chain/canonical.h).
-- A row of another day than its profile belongs to nobody: readers do not find it.
-- Parameters: none
-- Copies: profile_id bigint, number bigint, warmup boolean, max_ps bigint, mean_ps bigint,
--     slowest_device integer, period_ps bigint, gap_before_ps bigint
COPY (
SELECT CASE WHEN p.recorded_on <> r.recorded_on THEN NULL ELSE r.profile_id END, r.number, r.warmup,
       r.max_ps, r.mean_ps, r.slowest_device, r.period_ps, r.gap_before_ps
FROM profile_steps r
LEFT JOIN profiles p
    ON p.id = r.profile_id
    AND p.id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
        AND (SELECT current_setting('stepledger.last')::bigint)
WHERE r.profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY r.profile_id, r.number
) TO STDOUT (FORMAT binary);
