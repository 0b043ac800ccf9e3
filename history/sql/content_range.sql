-- Which subjects the statements content_*.sql read in this transaction: COPY takes no parameters.
-- Parameters: $1 first bigint, $2 last bigint, $3 kind text
-- Result: first text, last text, kind text
SELECT set_config('stepledger.first', $1::bigint::text, true),
       set_config('stepledger.last', $2::bigint::text, true),
       set_config('stepledger.kind', $3::text, true);
