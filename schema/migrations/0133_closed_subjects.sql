-- 0133: what has its entry is closed: nothing is added to it.
--
-- Whoever may append could put a fact, a measure or an op into a profile of last month, or say of
-- any verdict that another ledger had recorded it: `verify` would find that, readers would not. The
-- owner, who brings months back from their files, may.

-- Refuses what is added, but for the owner.
CREATE FUNCTION ledger_closed(target oid, what text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = target), 'USAGE') THEN
        RAISE EXCEPTION 'the ledger is append-only: nothing is added to % that has its entry', what
            USING ERRCODE = 'restrict_violation';
    END IF;
END
$$;

-- Whether a row of a statement belongs to a subject that has its entry. The names of columns
-- differ, so there is a function for each. They run a dozen times for each profile: a setting of
-- their own would cost as much as the rest, so each name and operator says where it is from.
CREATE FUNCTION profile_open_check() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    subject bigint;
BEGIN
    FOR subject IN SELECT DISTINCT profile_id FROM added LOOP
        PERFORM FROM stepledger.entries e
        WHERE e.kind OPERATOR(pg_catalog.=) 'profile'
          AND e.subject_id OPERATOR(pg_catalog.=) subject;
        IF FOUND THEN
            PERFORM stepledger.ledger_closed(TG_RELID, 'a profile');
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE FUNCTION verdict_open_check() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    subject bigint;
BEGIN
    FOR subject IN SELECT DISTINCT verdict_id FROM added LOOP
        PERFORM FROM stepledger.entries e
        WHERE e.kind OPERATOR(pg_catalog.=) 'verdict'
          AND e.subject_id OPERATOR(pg_catalog.=) subject;
        IF FOUND THEN
            PERFORM stepledger.ledger_closed(TG_RELID, 'a verdict');
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE FUNCTION signature_open_check() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    subject bigint;
BEGIN
    FOR subject IN SELECT DISTINCT introduced_by FROM added LOOP
        PERFORM FROM stepledger.entries e
        WHERE e.kind OPERATOR(pg_catalog.=) 'profile'
          AND e.subject_id OPERATOR(pg_catalog.=) subject;
        IF FOUND THEN
            PERFORM stepledger.ledger_closed(TG_RELID, 'a profile');
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE FUNCTION origin_open_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM added a JOIN stepledger.entries e
        ON e.kind OPERATOR(pg_catalog.=) a.kind
        AND e.subject_id OPERATOR(pg_catalog.=) a.subject_id;
    IF FOUND THEN
        PERFORM stepledger.ledger_closed(TG_RELID, 'a subject');
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
