-- Canonical content of profiles: each step on each device; spans of the host come last
-- (history/chain/canonical.h).
-- A row of another day than its profile belongs to nobody: readers do not find it.
-- Parameters: none
-- Copies: profile_id bigint, number bigint, device integer, start_ps bigint, duration_ps bigint
COPY (
SELECT CASE WHEN p.recorded_on <> r.recorded_on THEN NULL ELSE r.profile_id END, r.number, r.device,
       r.start_ps, r.duration_ps
FROM step_spans r
LEFT JOIN profiles p
    ON p.id = r.profile_id
    AND p.id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
        AND (SELECT current_setting('stepledger.last')::bigint)
WHERE r.profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY r.profile_id, r.number, r.device NULLS LAST, r.start_ps, r.duration_ps
) TO STDOUT (FORMAT binary);
