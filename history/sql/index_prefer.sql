-- For a walk in small ranges over large tables: the planner must not read a whole table for each,
-- nor start helpers; the rows of a range are sorted in memory.
-- Parameters: none
-- Result: seqscan text, jit text, statement_timeout text, helpers text, memory text
SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
       set_config('statement_timeout', '0', true),
       set_config('max_parallel_workers_per_gather', '0', true),
       set_config('work_mem', '64MB', true);
