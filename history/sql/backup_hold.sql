-- Keeps the WAL of a backup until this session ends, however long the backup takes.
-- Parameters: none
-- Result: slot text
SELECT slot_name::text
FROM pg_catalog.pg_create_physical_replication_slot(
    'stepledger_backup_' || pg_catalog.pg_backend_pid(), true, true);
