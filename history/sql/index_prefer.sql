-- For a walk in small ranges over large tables: the planner must not read a whole table for each.
-- Parameters: none
-- Result: seqscan text, jit text, statement_timeout text
SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
       set_config('statement_timeout', '0', true);
