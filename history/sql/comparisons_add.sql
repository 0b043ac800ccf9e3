-- What a verdict compared, column by column.
-- Parameters: $1 verdict_ids bigint[], $2 ordinals integer[], $3 measures text[], $4 units text[],
--     $5 befores float8[], $6 afters float8[], $7 deltas float8[], $8 limits float8[],
--     $9 statuses text[], $10 methods text[], $11 estimates float8[], $12 ci_lows float8[],
--     $13 ci_highs float8[], $14 p_values float8[], $15 run_sds float8[], $16 mdes float8[]
-- Result: none
INSERT INTO comparisons (verdict_id, ordinal, measure, unit, before_value, after_value, delta,
                         limit_value, status, method, estimate_pct, ci_low_pct, ci_high_pct,
                         p_value, run_sd_pct, mde_pct)
SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::float8[],
                     $6::float8[], $7::float8[], $8::float8[], $9::text[], $10::text[],
                     $11::float8[], $12::float8[], $13::float8[], $14::float8[], $15::float8[],
                     $16::float8[]);
