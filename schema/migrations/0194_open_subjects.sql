-- 0194: rows are added to a subject only while it is being made, by who makes it.
--
-- 0133 closed what has its entry; what was not there yet was open. Whoever may append could fill
-- measures, steps or a summary of the profile that would come next: each append met them, and none
-- could be made; or say of the next verdict when and by whom it had been recorded. Now the subject
-- has to be there as well. One that is there and has no entry is being made in this transaction: no
-- other can see it, and none ends without its entry (0060). So it is its maker's alone.

-- As in 0133 these run a dozen times for each profile: no settings, each name and operator says
-- where it is from. A statement writes rows of one profile: who writes those of several at once is
-- the owner, who brings months back.
CREATE OR REPLACE FUNCTION profile_open_check() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    subject bigint;
    last_subject bigint;
BEGIN
    SELECT pg_catalog.min(profile_id), pg_catalog.max(profile_id) INTO subject, last_subject
    FROM added;
    IF subject IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM FROM stepledger.profiles p
    WHERE p.id OPERATOR(pg_catalog.=) subject AND subject OPERATOR(pg_catalog.=) last_subject
      AND NOT EXISTS (SELECT FROM stepledger.entries e
                      WHERE e.kind OPERATOR(pg_catalog.=) 'profile'
                        AND e.subject_id OPERATOR(pg_catalog.=) subject);
    IF NOT FOUND THEN
        PERFORM stepledger.ledger_closed(TG_RELID, 'a profile');
    END IF;
    RETURN NULL;
END
$$;

-- Verdicts are there: their rows refer to them.
CREATE OR REPLACE FUNCTION signature_open_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM (SELECT DISTINCT introduced_by FROM added) AS a
    WHERE NOT EXISTS (SELECT FROM stepledger.profiles p
                      WHERE p.id OPERATOR(pg_catalog.=) a.introduced_by)
       OR EXISTS (SELECT FROM stepledger.entries e
                  WHERE e.kind OPERATOR(pg_catalog.=) 'profile'
                    AND e.subject_id OPERATOR(pg_catalog.=) a.introduced_by);
    IF FOUND THEN
        PERFORM stepledger.ledger_closed(TG_RELID, 'a profile');
    END IF;
    RETURN NULL;
END
$$;

-- The kinds are those whose content has a section `origin` (history/chain/entry_kinds.c).
CREATE OR REPLACE FUNCTION origin_open_check() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    said record;
BEGIN
    FOR said IN SELECT a.kind, a.subject_id FROM added a LOOP
        IF said.kind OPERATOR(pg_catalog.<>) ALL
               (ARRAY['profile', 'verdict', 'delivery', 'acceptance', 'rebaseline', 'alert',
                      'track', 'change_point', 'amendment'])
           OR (SELECT e.chain FROM stepledger.entry_place(said.kind, said.subject_id) e) IS NULL
           OR EXISTS (SELECT FROM stepledger.entries e
                      WHERE e.kind OPERATOR(pg_catalog.=) said.kind
                        AND e.subject_id OPERATOR(pg_catalog.=) said.subject_id) THEN
            PERFORM stepledger.ledger_closed(TG_RELID, 'a subject');
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION ledger_closed(target oid, what text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = target), 'USAGE') THEN
        RAISE EXCEPTION 'the ledger is append-only: rows of % belong to % that is being made in '
            'their transaction, not to one that is there or will come',
            (SELECT c.relname FROM pg_class c WHERE c.oid = target), what
            USING ERRCODE = 'restrict_violation';
    END IF;
END
$$;

-- An op's signature says which op it is by its hash: nobody takes the place of another's. It is not
-- asked of what is there: `verify` does that.
ALTER TABLE op_signatures ADD CONSTRAINT op_signatures_id CHECK (
    uuid_send(id) = substring(sha256(convert_to(signature, 'UTF8')) FOR 16)) NOT VALID;

-- What a judge's login says of an alert rests on the verdict that it makes; what people say of one,
-- people say.
CREATE FUNCTION alert_right_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles r
               WHERE (r.rolname = 'stepledger'
                      OR r.oid = (SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID))
                 AND pg_has_role(session_user, r.oid, 'USAGE')) THEN
        RETURN NULL;
    END IF;
    IF NEW.action = ANY (ARRAY['acknowledge', 'silence', 'dismiss', 'accept']) THEN
        RAISE EXCEPTION 'role % may not % alerts', session_user, NEW.action
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM FROM stepledger.verdicts v
    WHERE v.id = NEW.verdict_id
      AND NOT EXISTS (SELECT FROM stepledger.entries e
                      WHERE e.kind = 'verdict' AND e.subject_id = v.id);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'role % moves alerts by verdicts that it makes only', session_user
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER alert_right AFTER INSERT ON alert_events FOR EACH ROW
    EXECUTE FUNCTION alert_right_check();

-- What another ledger says is for people to bring in, who have the role `stepledger`. Decisions are
-- people's, too; the scheduler, which appends change points, has that role.
DO $$
DECLARE
    role_name text;
BEGIN
    FOR role_name IN
        SELECT rolname FROM pg_catalog.pg_roles
        WHERE rolname IN ('stepledger_ingest', 'stepledger_compare', 'stepledger_alert')
    LOOP
        EXECUTE format('REVOKE ALL ON origins FROM %I', role_name);
        EXECUTE format('GRANT SELECT ON origins TO %I', role_name);
        IF role_name = 'stepledger_compare' THEN
            EXECUTE format('REVOKE ALL ON acceptances, rebaselines, change_points FROM %I',
                           role_name);
            EXECUTE format('GRANT SELECT ON acceptances, rebaselines, change_points TO %I',
                           role_name);
        END IF;
        IF role_name <> 'stepledger_ingest' THEN
            EXECUTE format('REVOKE ALL ON silences FROM %I', role_name);
            EXECUTE format('GRANT SELECT ON silences TO %I', role_name);
        END IF;
    END LOOP;
END
$$;
