-- 0200: a transaction that holds a lock of the ledger and does nothing is ended.
--
-- Who may only read can take no such lock. Who may append can: one that was left open held others
-- up for as long as its session liked (the database ends idle ones after ten minutes, 0193). From
-- its first lock on, a transaction may be idle for half as long as others wait (`lock_timeout`,
-- 60 s), and no longer. A session that means harm can set that back; then whoever waits is told
-- its number and role, as before.
CREATE OR REPLACE FUNCTION ledger_lock(lock_name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    idle text := pg_catalog.current_setting('idle_in_transaction_session_timeout');
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
