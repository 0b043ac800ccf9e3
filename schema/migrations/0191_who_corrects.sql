-- 0191: who corrects what is said of profiles.
--
-- Whoever may store profiles could take one out of a baseline: by retracting or renaming it, or by
-- storing its bytes again with other facts, which took its place. Corrections are for people and
-- the scheduler, who have the role `stepledger`; a worker's login says only that a profile takes
-- another's place, of the same bytes with the facts that are recorded. The successor has its entry
-- by then, so no fact is put into it afterwards.
CREATE FUNCTION amendment_right_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    fact text;
BEGIN
    IF EXISTS (SELECT FROM pg_roles r
               WHERE (r.rolname = 'stepledger'
                      OR r.oid = (SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID))
                 AND pg_has_role(session_user, r.oid, 'USAGE')) THEN
        RETURN NULL;
    END IF;
    IF NEW.action <> 'supersede' THEN
        RAISE EXCEPTION 'role % may not correct profiles', session_user
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM FROM stepledger.entries e WHERE e.kind = 'profile' AND e.subject_id = NEW.superseded_by;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'p% has no entry, it cannot take the place of p%', NEW.superseded_by,
            NEW.profile_id USING ERRCODE = 'foreign_key_violation';
    END IF;
    SELECT n.name INTO fact
    FROM stepledger.profile_facts n
    JOIN stepledger.profiles s ON s.id = n.profile_id
    JOIN stepledger.profiles p ON p.id = NEW.profile_id AND p.trace_sha256 = s.trace_sha256
    LEFT JOIN stepledger.profile_facts o ON o.profile_id = p.id AND o.name = n.name
    WHERE n.profile_id = NEW.superseded_by AND o.value IS DISTINCT FROM n.value
      AND n.source <> ALL (ARRAY['plane_stat', 'plane_name', 'task_environment', 'derived'])
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'role % may not say another % of p% than is recorded', session_user, fact,
            NEW.profile_id
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER amendment_right AFTER INSERT ON amendments FOR EACH ROW
    EXECUTE FUNCTION amendment_right_check();
