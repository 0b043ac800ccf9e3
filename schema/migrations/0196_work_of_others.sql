-- 0196: a message stays what it was while it waits, and a judgement is ended by who judges.
--
-- Whoever delivers could change the text of a message on its way, and it left with a good
-- signature; whoever stores profiles could say that a candidate had been judged. Both are work
-- state and change, but not in everything.

-- To whom, about what, in which words. The worker compares the messages of verdicts with
-- `verdict_messages` as well, which entries cover: there even who owns the ledger is found out.
CREATE FUNCTION outbox_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a message is not changed while it waits'
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER outbox_fixed BEFORE UPDATE OF id, destination_id, verdict_id, order_key, dedupe_key,
    content_type, body, phase, headline ON outbox
    FOR EACH STATEMENT EXECUTE FUNCTION outbox_refuse();

DO $$
DECLARE
    role_name text;
BEGIN
    FOR role_name IN
        SELECT rolname FROM pg_catalog.pg_roles WHERE rolname IN ('stepledger', 'stepledger_alert')
    LOOP
        EXECUTE format('REVOKE UPDATE ON outbox FROM %I', role_name);
        EXECUTE format('GRANT UPDATE (state, attempt, not_before, expires_at, lease_token, '
                       'lease_until, last_error, finished_at, dead_told, voided, settled) '
                       'ON outbox TO %I', role_name);
    END LOOP;
END
$$;

-- Who stores profiles asks for judgements: a new one, or an old one again. What it writes is what
-- asking writes; whether one runs or has ended is said by who judges, the role stepledger_compare.
CREATE FUNCTION judgement_right_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before_state text := 'ready';
BEGIN
    IF EXISTS (SELECT FROM pg_roles r
               WHERE (r.rolname IN ('stepledger', 'stepledger_compare')
                      OR r.oid = (SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID))
                 AND pg_has_role(session_user, r.oid, 'USAGE')) THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        before_state := OLD.state;
        IF NEW.asked <> OLD.asked + 1
           OR (NEW.project, NEW.workload, NEW.candidate, NEW.fence)
              IS DISTINCT FROM (OLD.project, OLD.workload, OLD.candidate, OLD.fence)
           OR (NEW.worker, NEW.lease_until, NEW.verdict_id, NEW.failure_kind, NEW.failure)
              IS DISTINCT FROM
              (OLD.worker, OLD.lease_until, OLD.verdict_id, OLD.failure_kind, OLD.failure) THEN
            RAISE EXCEPTION 'role % may ask for judgements, not end or change them', session_user
                USING ERRCODE = 'insufficient_privilege';
        END IF;
    END IF;
    IF NEW.state <> (CASE before_state WHEN 'running' THEN 'running' ELSE 'ready' END)
       OR NEW.not_before > now() OR NEW.asked_at > clock_timestamp()
       OR NEW.attempt <> (CASE before_state WHEN 'running' THEN OLD.attempt ELSE 0 END) THEN
        RAISE EXCEPTION 'role % may ask for judgements, not end, begin or put them off',
            session_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER judgement_right BEFORE INSERT OR UPDATE ON judgements FOR EACH ROW
    EXECUTE FUNCTION judgement_right_check();
