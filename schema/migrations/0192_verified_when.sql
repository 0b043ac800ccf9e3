-- 0192: when a regular task ended, and who may say so.
--
-- Who stores profiles could write that everything had just been verified, and nothing was any more.
-- The scheduler alone writes here, which has the role `stepledger`. last_run_at is when a task
-- began: one that was killed has not ended.
ALTER TABLE schedules ADD COLUMN ended_at timestamptz;
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'stepledger_ingest') THEN
        REVOKE ALL ON schedules FROM stepledger_ingest;
        GRANT SELECT ON schedules TO stepledger_ingest;
    END IF;
END
$$;
