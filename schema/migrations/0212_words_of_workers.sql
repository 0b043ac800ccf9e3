-- 0212: what workers tell that rests on no verdict is of the kinds that they have to tell.
--
-- Who judges says of a commit that its judgement began or was broken off; who delivers says things
-- about messages (a digest, dead letters, a destination that was taken out of service). Each could
-- tell the other's, under any order key. The words themselves are the program's, which the server
-- cannot make: history/README.md says what is left.
CREATE FUNCTION login_is_of(role_name text) RETURNS boolean STABLE LANGUAGE sql
SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT FROM pg_roles r
                   WHERE r.rolname = $1 AND pg_has_role(session_user, r.oid, 'USAGE'));
$$;

-- As in 0198 but for what rests on no verdict.
CREATE OR REPLACE FUNCTION outbox_add_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF stepledger.login_is_peoples(TG_RELID) THEN
        RETURN NULL;
    END IF;
    IF NEW.verdict_id IS NULL THEN
        IF NEW.not_before <= now() + interval '1 hour' AND octet_length(NEW.body) <= 1048576
           AND ((NEW.phase = ANY (ARRAY['started', 'aborted'])
                 AND stepledger.login_is_of('stepledger_compare'))
                OR (NEW.phase = 'none' AND NOT NEW.standalone
                    AND NEW.order_key = ANY (ARRAY['digest', 'dead-letters', 'disabled'])
                    AND stepledger.login_is_of('stepledger_alert'))) THEN
            RETURN NULL;
        END IF;
        RAISE EXCEPTION 'role % tells of alerts by verdicts that it makes only, and of messages as '
            'its work is', session_user USING ERRCODE = 'insufficient_privilege';
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
