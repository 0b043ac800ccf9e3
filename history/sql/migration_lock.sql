-- One migrator at a time, until the end of the transaction. Waits long: a migration may take its
-- time.
-- Parameters: none
-- Result: lock_timeout text, statement_timeout text, locked bigint
SELECT pg_catalog.set_config('lock_timeout', '600s', true),
       pg_catalog.set_config('statement_timeout', '0', true),
       (SELECT pg_catalog.count(*) FROM pg_catalog.pg_advisory_xact_lock(7306375086480975719));
