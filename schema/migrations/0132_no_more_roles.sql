-- 0132: who owns the ledger makes no roles.
--
-- 0004 let `stepledger_owner` make the roles of workers, for which it needed CREATEROLE: on
-- PostgreSQL 15 that is the right to become a member of pg_execute_server_program, and so to run
-- programs as the server and to be its superuser. Roles are made once, by whoever makes the server
-- or the database (`stepledger help database` says how; the embedded cluster does it itself). What
-- the server does not let go of here, `stepledger check` names.

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_roles
               WHERE rolname = 'stepledger_owner' AND rolcreaterole AND NOT rolsuper) THEN
        ALTER ROLE stepledger_owner NOCREATEROLE;
    END IF;
EXCEPTION
    WHEN insufficient_privilege THEN NULL; -- not ours to change
    WHEN internal_error THEN NULL; -- another database of the server does it at this moment
END
$$;
