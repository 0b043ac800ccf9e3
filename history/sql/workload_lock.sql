-- One appender per (project, workload) until the end of the transaction: so ids ascend in commit
-- order there.
-- Parameters: $1 project_id bigint, $2 workload text
-- Result: locked bigint
SELECT count(*) FROM workload_lock($1, $2);
