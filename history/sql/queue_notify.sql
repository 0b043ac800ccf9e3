-- A hint to whoever waits for jobs; sent after the jobs are committed, since a transaction with
-- NOTIFY takes its turn among all.
-- Parameters: none
-- Result: sent bigint
SELECT count(*) FROM pg_notify('stepledger_queue', '');
