-- 0197: who verifies may read where the counters of ids stand.
--
-- One that was set back makes every append fail for a while, one that was set far ahead for good,
-- and no entry tells.
DO $$
DECLARE
    role_name text;
BEGIN
    FOR role_name IN
        SELECT rolname FROM pg_catalog.pg_roles
        WHERE rolname IN ('stepledger', 'stepledger_ingest', 'stepledger_compare',
                          'stepledger_alert', 'stepledger_read')
    LOOP
        EXECUTE format('GRANT SELECT ON ALL SEQUENCES IN SCHEMA stepledger TO %I', role_name);
    END LOOP;
END
$$;
