-- 0193: who waits for a lock of the ledger is told who holds it, and workers hold less.
--
-- Whoever may append can keep a transaction open that holds a chain or a workload: others waited
-- for a minute and were told that somebody did. Nothing takes that right away from who may append;
-- what can be done is to say which session it is, for a person to end it (pg_terminate_backend),
-- and to end what is merely forgotten.

-- Sessions that say nothing of it themselves. Who does not own the database leaves it as it is.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
                   WHERE d.datname = current_database() AND s.setrole = 0
                     AND array_to_string(s.setconfig, ' ')
                         LIKE '%idle_in_transaction_session_timeout%') THEN
        EXECUTE format('ALTER DATABASE %I SET idle_in_transaction_session_timeout = ''10min''',
                       current_database());
    END IF;
EXCEPTION
    WHEN insufficient_privilege THEN NULL;
    WHEN internal_error THEN NULL; -- another session changes it at this moment
END
$$;

-- The oldest of the other transactions that hold a row of `locks`.
CREATE FUNCTION lock_holder() RETURNS text STABLE LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    held record;
BEGIN
    SELECT l.pid, s.usename, s.application_name, s.xact_start INTO held
    FROM pg_locks l
    JOIN pg_stat_activity s ON s.pid = l.pid
    WHERE l.locktype = 'relation' AND l.relation = 'stepledger.locks'::regclass AND l.granted
      AND l.mode = 'RowShareLock' AND l.pid <> pg_backend_pid()
      AND NOT EXISTS (SELECT FROM pg_locks w WHERE w.pid = l.pid AND NOT w.granted)
      AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    ORDER BY age(s.backend_xid) DESC NULLS LAST LIMIT 1;
    RETURN CASE WHEN FOUND
        THEN format('session %s of role %s (%s)%s', held.pid, held.usename, held.application_name,
                    ', in a transaction since ' || held.xact_start)
        ELSE 'a session that has ended by now' END;
END
$$;
REVOKE ALL ON FUNCTION lock_holder() FROM PUBLIC;

-- As 0187 has it where nobody holds the lock. Who has to wait does so in a block of its own, which
-- costs too much to be everybody's.
CREATE OR REPLACE FUNCTION ledger_lock(lock_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM stepledger.locks l WHERE l.name OPERATOR(pg_catalog.=) lock_name
    FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        RETURN;
    END IF;
    BEGIN
        INSERT INTO stepledger.locks (name) VALUES (lock_name) ON CONFLICT DO NOTHING;
        PERFORM FROM stepledger.locks l WHERE l.name OPERATOR(pg_catalog.=) lock_name FOR UPDATE;
    EXCEPTION
        WHEN lock_not_available THEN
            RAISE EXCEPTION 'the lock "%" was not free within %; it is held by %', lock_name,
                pg_catalog.current_setting('lock_timeout'), stepledger.lock_holder()
                USING ERRCODE = 'lock_not_available';
    END;
END
$$;

-- A right to UPDATE or DELETE on a table is one to lock all of it (LOCK TABLE); on columns it is
-- not. Workers that store profiles only ask for judgements; only who keeps a queue may empty it.
DO $$
DECLARE
    columns text;
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'stepledger_ingest') THEN
        SELECT string_agg(quote_ident(a.attname), ', ') INTO columns FROM pg_attribute a
        WHERE a.attrelid = 'judgements'::regclass AND a.attnum > 0 AND NOT a.attisdropped;
        REVOKE UPDATE, DELETE ON judgements FROM stepledger_ingest;
        EXECUTE format('GRANT UPDATE (%s) ON judgements TO stepledger_ingest', columns);
    END IF;
END
$$;
