-- What 0042 has yet to move into months: rows (as the planner guesses) and bytes of the tables that
-- have none. Asks the catalogs, which every role may read.
-- Parameters: none
-- Result: row_count bigint, size_bytes bigint
SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint,
       coalesce(sum(pg_catalog.pg_total_relation_size(c.oid)), 0)::bigint
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'stepledger' AND c.relkind = 'r'
  AND c.relname IN ('summaries', 'profile_devices', 'profile_steps', 'step_spans', 'op_rows');
