-- 0003: what the application role may do, where there is one.
--
-- The role `stepledger` is made by whoever makes the database (the embedded cluster does it
-- itself). A database with a single user, who then owns the schema, has no such role and needs no
-- grant.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'stepledger') THEN
        RETURN;
    END IF;
    GRANT USAGE ON SCHEMA stepledger TO stepledger;
    GRANT SELECT ON ALL TABLES IN SCHEMA stepledger TO stepledger;
    GRANT INSERT ON
        projects, series, profiles, profile_events, summaries, profile_files, profile_hosts,
        profile_facts, profile_programs, profile_devices, profile_steps, step_spans,
        op_signatures, op_rows, verdicts, verdict_inputs, destinations, outbox, deliveries
        TO stepledger;
    GRANT UPDATE ON destinations, outbox TO stepledger;
    GRANT USAGE ON SEQUENCE profiles_id_seq, verdicts_id_seq TO stepledger;
END
$$;
