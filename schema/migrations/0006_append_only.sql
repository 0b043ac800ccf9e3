-- 0006: append-only by force: rights to insert and select only, and triggers that refuse the rest
-- to everybody, the owner and superusers too.
--
-- Two locks: a role has no right to change the ledger, and where rights do not count the triggers
-- do. A superuser can still switch triggers off (session_replication_role); `stepledger verify`
-- finds what was changed then. A correction is an entry that supersedes another.

CREATE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger is append-only: % of % is refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation',
              HINT = 'append an entry that supersedes the wrong one';
END
$$;

-- Makes a table append-only. The statement trigger also refuses what would touch no row; the row
-- trigger is the one that partitions inherit.
CREATE PROCEDURE ledger_protect(target regclass)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER ledger_refuse_statement '
                   'BEFORE UPDATE OR DELETE OR TRUNCATE ON %s '
                   'FOR EACH STATEMENT EXECUTE FUNCTION stepledger.ledger_refuse()', target);
    EXECUTE format('CREATE TRIGGER ledger_refuse_row BEFORE UPDATE OR DELETE ON %s '
                   'FOR EACH ROW EXECUTE FUNCTION stepledger.ledger_refuse()', target);
END
$$;

DO $$
DECLARE
    table_name text;
BEGIN
    FOREACH table_name IN ARRAY ARRAY[
        'projects', 'series', 'profiles', 'profile_events', 'summaries', 'profile_files',
        'profile_hosts', 'profile_facts', 'profile_programs', 'profile_devices', 'profile_steps',
        'step_spans', 'op_signatures', 'op_rows', 'measures', 'verdicts', 'verdict_inputs',
        'verdict_messages', 'deliveries', 'entries', 'chain_starts', 'checkpoints'] LOOP
        CALL ledger_protect(table_name::regclass);
    END LOOP;
END
$$;

CALL ledger_grant('SELECT', ARRAY[
    'schema_migrations', 'projects', 'series', 'profiles', 'profile_events', 'summaries',
    'profile_files', 'profile_hosts', 'profile_facts', 'profile_programs', 'profile_devices',
    'profile_steps', 'step_spans', 'op_signatures', 'op_rows', 'measures', 'verdicts',
    'verdict_inputs', 'verdict_messages', 'destinations', 'outbox', 'deliveries', 'entries',
    'chain_starts', 'checkpoints'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert', 'stepledger_read']);
CALL ledger_grant('INSERT', ARRAY[
    'projects', 'series', 'profiles', 'profile_events', 'summaries', 'profile_files',
    'profile_hosts', 'profile_facts', 'profile_programs', 'profile_devices', 'profile_steps',
    'step_spans', 'op_signatures', 'op_rows', 'measures', 'entries', 'checkpoints'],
    ARRAY['stepledger_ingest']);
CALL ledger_grant('INSERT', ARRAY[
    'projects', 'verdicts', 'verdict_inputs', 'verdict_messages', 'destinations', 'outbox',
    'entries'],
    ARRAY['stepledger_compare']);
CALL ledger_grant('INSERT', ARRAY['destinations', 'deliveries', 'entries', 'checkpoints'],
    ARRAY['stepledger_alert']);
CALL ledger_grant('UPDATE', ARRAY['destinations', 'outbox'], ARRAY['stepledger_alert']);
CALL ledger_grant('USAGE', ARRAY['profiles_id_seq'], ARRAY['stepledger_ingest']);
CALL ledger_grant('USAGE', ARRAY['verdicts_id_seq'], ARRAY['stepledger_compare']);
CALL ledger_grant('USAGE', ARRAY['checkpoints_id_seq'],
    ARRAY['stepledger_ingest', 'stepledger_alert']);
