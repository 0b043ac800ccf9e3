-- For one question asked of many workloads: its plan is made once. To plan some of them anew for
-- the values of each takes longer than to answer.
-- Parameters: $1 mode text
-- Result: mode text
SELECT set_config('plan_cache_mode', $1, false);
