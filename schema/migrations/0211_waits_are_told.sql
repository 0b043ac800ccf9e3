-- 0211: who waits for a lock of the ledger is told who holds it while it waits.
--
-- Before, a session heard so when it had given up, after a minute: nobody knew meanwhile why a gate
-- stood still. After a twentieth of its patience (`lock_timeout`; 3 s of 60) a warning says it
-- (SQLSTATE SL001, which the program logs), and the waiting goes on as before. As in 0200 but for
-- that; who does not wait pays nothing.
CREATE OR REPLACE FUNCTION ledger_lock(lock_name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    idle text := pg_catalog.current_setting('idle_in_transaction_session_timeout');
    patience text;
    first_ms bigint;
BEGIN
    IF idle OPERATOR(pg_catalog.=) '0'
       OR idle::pg_catalog.interval OPERATOR(pg_catalog.>) '30 s'::pg_catalog.interval THEN
        PERFORM pg_catalog.set_config('idle_in_transaction_session_timeout', '30s', true);
    END IF;
    PERFORM FROM stepledger.locks l WHERE l.name OPERATOR(pg_catalog.=) lock_name
    FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        RETURN;
    END IF;
    patience := pg_catalog.current_setting('lock_timeout');
    SELECT s.setting::bigint OPERATOR(pg_catalog./) 20 INTO first_ms
    FROM pg_catalog.pg_settings s WHERE s.name OPERATOR(pg_catalog.=) 'lock_timeout';
    BEGIN
        PERFORM pg_catalog.set_config(
            'lock_timeout', CASE first_ms WHEN 0 THEN '3000' ELSE first_ms::text END, true);
        INSERT INTO stepledger.locks (name) VALUES (lock_name) ON CONFLICT DO NOTHING;
        PERFORM FROM stepledger.locks l WHERE l.name OPERATOR(pg_catalog.=) lock_name FOR UPDATE;
        PERFORM pg_catalog.set_config('lock_timeout', patience, true);
        RETURN;
    EXCEPTION
        WHEN lock_not_available THEN
            RAISE WARNING 'waiting for the lock "%", which is held by %', lock_name,
                stepledger.lock_holder() USING ERRCODE = 'SL001';
    END;
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
