-- 0198: a message belongs to the verdict that is being made, and goes when its time is over.
--
-- Who judges could put any message into the outbox, set those of others to `superseded` and say how
-- a destination knows an alert: then an alarm never arrived. Who delivers could take messages out
-- that wait. What a judge's login tells now rests on its verdict, and what it replaces is what the
-- message replaces that comes with it.

-- Whether who is logged in has people's role, or owns the table.
CREATE FUNCTION login_is_peoples(target oid) RETURNS boolean STABLE LANGUAGE sql
SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT FROM pg_roles r
                   WHERE (r.rolname = 'stepledger'
                          OR r.oid = (SELECT c.relowner FROM pg_class c WHERE c.oid = $1))
                     AND pg_has_role(session_user, r.oid, 'USAGE'));
$$;

-- What rests on no verdict (a judgement that begins, a digest) does not stand in the way of what
-- does: neither under its dedupe key, nor under its order key (outbox_claim).
ALTER TABLE outbox DROP CONSTRAINT outbox_destination_id_dedupe_key_key;
CREATE UNIQUE INDEX outbox_dedupe ON outbox (destination_id, dedupe_key, (verdict_id IS NULL));

CREATE FUNCTION outbox_add_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF stepledger.login_is_peoples(TG_RELID) THEN
        RETURN NULL;
    END IF;
    IF NEW.verdict_id IS NULL THEN
        IF NEW.phase = ANY (ARRAY['none', 'started', 'aborted'])
           AND NEW.not_before <= now() + interval '1 hour' THEN
            RETURN NULL;
        END IF;
        RAISE EXCEPTION 'role % tells of alerts by verdicts that it makes only', session_user
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM FROM stepledger.verdicts v
    WHERE v.id = NEW.verdict_id AND v.xmin = pg_current_xact_id()::xid;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'role % tells of verdicts that it makes only, not of v%', session_user,
            NEW.verdict_id USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER outbox_right AFTER INSERT ON outbox FOR EACH ROW
    EXECUTE FUNCTION outbox_add_check();

-- At the end of the transaction: the verdict's entry covers what is told of it.
CREATE FUNCTION outbox_kept_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF stepledger.login_is_peoples(TG_RELID) THEN
        RETURN NULL;
    END IF;
    PERFORM FROM stepledger.verdict_messages m
    JOIN stepledger.destinations d ON d.name = m.destination
    WHERE m.verdict_id = NEW.verdict_id AND d.id = NEW.destination_id
      AND m.dedupe_key = NEW.dedupe_key AND m.order_key = NEW.order_key
      AND m.content_type = NEW.content_type AND m.body_sha256 = sha256(NEW.body);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'what is told of v% is not kept with it', NEW.verdict_id
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER outbox_kept AFTER INSERT ON outbox DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.verdict_id IS NOT NULL) EXECUTE FUNCTION outbox_kept_check();

-- Who judges replaces what waits and shows a whole state (a commit's) by the next state, which it
-- tells in the same transaction. Who delivers ends messages; when, says the clock.
CREATE FUNCTION outbox_end_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF stepledger.login_is_peoples(TG_RELID) THEN
        RETURN NEW;
    END IF;
    IF NEW.finished_at IS DISTINCT FROM OLD.finished_at AND NEW.finished_at <> now() THEN
        RAISE EXCEPTION 'a message ends when it ends, not at %', NEW.finished_at
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF EXISTS (SELECT FROM pg_roles r WHERE r.rolname = 'stepledger_alert'
                 AND pg_has_role(session_user, r.oid, 'USAGE')) THEN
        RETURN NEW;
    END IF;
    PERFORM FROM stepledger.outbox n
    WHERE n.destination_id = OLD.destination_id AND n.order_key = OLD.order_key AND n.id > OLD.id
      AND n.standalone AND n.state = 'pending' AND n.xmin = pg_current_xact_id()::xid;
    IF NOT FOUND OR OLD.state <> 'pending' OR NEW.state <> 'superseded' OR NOT OLD.standalone THEN
        RAISE EXCEPTION 'role % replaces a message that shows a state by the next one of its key '
            'only', session_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER outbox_end BEFORE UPDATE ON outbox FOR EACH ROW EXECUTE FUNCTION outbox_end_check();

-- Nobody takes out what waits. (Finished messages are the scheduler's to remove, who has people's
-- role: no worker's has the right to, below.)
CREATE FUNCTION outbox_stay() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'a message stays until it has ended: % is %', OLD.id, OLD.state
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER outbox_waits BEFORE DELETE ON outbox FOR EACH ROW
    WHEN (OLD.finished_at IS NULL) EXECUTE FUNCTION outbox_stay();

-- How a destination knows an alert is said with the message that tells it.
CREATE FUNCTION thread_right_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF stepledger.login_is_peoples(TG_RELID)
       OR (TG_OP = 'INSERT' AND (NEW.phase, NEW.generation) = ('none', 0))
       OR (TG_OP = 'UPDATE' AND (NEW.phase, NEW.generation) = (OLD.phase, OLD.generation)
           AND NEW.changed_at = OLD.changed_at) THEN
        RETURN NEW;
    END IF;
    PERFORM FROM stepledger.outbox n
    WHERE n.destination_id = NEW.destination_id AND n.order_key = NEW.order_key
      AND n.phase = NEW.phase AND n.verdict_id IS NOT NULL AND n.state = 'pending'
      AND n.xmin = pg_current_xact_id()::xid;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'role % says what a destination knows with the message that tells it only',
            session_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER thread_right BEFORE INSERT OR UPDATE ON alert_threads FOR EACH ROW
    EXECUTE FUNCTION thread_right_check();

-- Takes all rights of a worker's role on a table but to read it, and gives those that it needs.
-- Columns: a right on a whole table would be one to lock it.
CREATE PROCEDURE ledger_narrow(role text, table_name text, rights text) LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
        EXECUTE format('REVOKE ALL ON stepledger.%I FROM %I', table_name, role);
        EXECUTE format('GRANT %s ON stepledger.%I TO %I', concat_ws(', ', 'SELECT', rights),
                       table_name, role);
    END IF;
END
$$;
CALL ledger_narrow('stepledger_compare', 'outbox',
    'INSERT (destination_id, verdict_id, order_key, dedupe_key, content_type, body, max_attempts, '
    'expires_at, phase, headline, not_before, in_digest, standalone), '
    'UPDATE (state, finished_at)');
CALL ledger_narrow('stepledger_alert', 'outbox',
    'INSERT (destination_id, verdict_id, order_key, dedupe_key, content_type, body, max_attempts, '
    'expires_at, phase, headline, not_before, in_digest, standalone), '
    'UPDATE (state, attempt, not_before, expires_at, lease_token, lease_until, last_error, '
    'finished_at, dead_told, voided, settled)');
CALL ledger_narrow('stepledger_compare', 'alert_threads',
    'INSERT (destination_id, order_key, phase, generation, headline), '
    'UPDATE (phase, generation, headline, changed_at)');
CALL ledger_narrow('stepledger_alert', 'alert_threads',
    'INSERT (destination_id, order_key, remote_ref), UPDATE (remote_ref)');
CALL ledger_narrow('stepledger_compare', 'destinations', 'INSERT (name)');
