-- Whether a plan is made once for all values of the parameters: to plan some statements anew for
-- the values of each takes longer than to answer.
-- Parameters: $1 mode text
-- Result: mode text
SELECT set_config('plan_cache_mode', $1, false);
