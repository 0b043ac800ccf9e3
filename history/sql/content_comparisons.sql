-- Canonical content of verdicts: what each compared (history/chain/canonical.h).
-- Parameters: none
-- Copies: verdict_id bigint, ordinal integer, measure text, unit text, before_value float8,
--     after_value float8, delta float8, limit_value float8, status text, method text,
--     estimate_pct float8, ci_low_pct float8, ci_high_pct float8, p_value float8,
--     run_sd_pct float8, mde_pct float8
COPY (
SELECT verdict_id, ordinal, measure, unit, before_value, after_value, delta, limit_value, status,
       method, estimate_pct, ci_low_pct, ci_high_pct, p_value, run_sd_pct, mde_pct
FROM comparisons
WHERE verdict_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY verdict_id, ordinal
) TO STDOUT (FORMAT binary);
