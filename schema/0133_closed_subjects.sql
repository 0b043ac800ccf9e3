-- 0133: what has its entry is closed: nothing is added to it.
--
-- Whoever may append could put a fact, a measure or an op into a profile of last month, or say of
-- any verdict that another ledger had recorded it: `verify` would find that, readers would not. The
-- owner, who brings months back from their files, may.

-- Of a statement's rows: whether one belongs to a subject that has its entry. The names of columns
-- differ, so there is a function for each.
CREATE FUNCTION profile_open_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM (SELECT DISTINCT profile_id FROM added) AS a
               JOIN stepledger.entries e ON e.kind = 'profile' AND e.subject_id = a.profile_id)
       AND NOT pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID), 'USAGE')
    THEN
        RAISE EXCEPTION 'the ledger is append-only: nothing is added to a profile with an entry'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION verdict_open_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM (SELECT DISTINCT verdict_id FROM added) AS a
               JOIN stepledger.entries e ON e.kind = 'verdict' AND e.subject_id = a.verdict_id)
       AND NOT pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID), 'USAGE')
    THEN
        RAISE EXCEPTION 'the ledger is append-only: nothing is added to a verdict with an entry'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION signature_open_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM (SELECT DISTINCT introduced_by FROM added) AS a
               JOIN stepledger.entries e ON e.kind = 'profile' AND e.subject_id = a.introduced_by)
       AND NOT pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID), 'USAGE')
    THEN
        RAISE EXCEPTION 'the ledger is append-only: nothing is added to a profile with an entry'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION origin_open_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM added a
               JOIN stepledger.entries e ON e.kind = a.kind AND e.subject_id = a.subject_id)
       AND NOT pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID), 'USAGE')
    THEN
        RAISE EXCEPTION 'the ledger is append-only: nothing is added to what has an entry'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;

-- The tables whose rows belong to a subject of another one.
CREATE PROCEDURE ledger_close(tables text[], check_name text) LANGUAGE plpgsql AS $$
DECLARE
    table_name text;
BEGIN
    FOREACH table_name IN ARRAY tables LOOP
        EXECUTE format('CREATE TRIGGER ledger_open AFTER INSERT ON stepledger.%I '
                       'REFERENCING NEW TABLE AS added FOR EACH STATEMENT '
                       'EXECUTE FUNCTION stepledger.%I()', table_name, check_name);
    END LOOP;
END
$$;
CALL ledger_close(ARRAY['summaries', 'profile_files', 'profile_hosts', 'profile_facts',
                        'profile_programs', 'profile_devices', 'profile_steps', 'step_spans',
                        'op_rows', 'measures', 'findings', 'capture_hosts'], 'profile_open_check');
CALL ledger_close(ARRAY['verdict_inputs', 'verdict_messages', 'verdict_requests', 'comparisons'],
                  'verdict_open_check');
CALL ledger_close(ARRAY['op_signatures'], 'signature_open_check');
CALL ledger_close(ARRAY['origins'], 'origin_open_check');
