-- 0204: corrections of a profile come one after the other, and another takes its place only where
-- it is of the same capture.
--
-- Whoever stores profiles could number a correction at will: the last possible number stopped every
-- reader for good, as the view added one to it. And it could say that any profile takes the place
-- of any other, with words about branch, commit and run besides, when their bytes differed: slow
-- ones went out of a comparison, or a baseline as a whole.

-- The last is the one with the highest ordinal; nothing is added to it.
CREATE OR REPLACE VIEW last_amendments AS
SELECT a.* FROM amendments a
WHERE NOT EXISTS (SELECT FROM amendments n
                  WHERE n.profile_id = a.profile_id AND n.ordinal > a.ordinal);

-- For everybody: the next ordinal, and what takes a profile's place says nothing else of it, nor of
-- one that has lost its place, or its count, already.
CREATE FUNCTION amendment_turn_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    was stepledger.amendments;
BEGIN
    SELECT a.* INTO was FROM stepledger.amendments a
    WHERE a.profile_id = NEW.profile_id AND a.id <> NEW.id
    ORDER BY a.ordinal DESC LIMIT 1;
    IF NOT FOUND THEN
        SELECT p.series_id, p.run, 0, 0, 0, 0, false
        INTO was.series_id, was.run, was.ordinal, was.branch_after, was.commit_after,
             was.label_after, was.retracted
        FROM stepledger.profiles p WHERE p.id = NEW.profile_id;
    END IF;
    IF NEW.ordinal::bigint <> was.ordinal::bigint + 1 THEN
        RAISE EXCEPTION 'correction % of p% cannot come after correction %', NEW.ordinal,
            NEW.profile_id, was.ordinal USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NEW.action = 'supersede'
       AND ((NEW.series_id, NEW.run, NEW.branch, NEW.branch_after, NEW.commit_sha,
             NEW.commit_after, NEW.label, NEW.label_after, NEW.retracted)
            IS DISTINCT FROM
            (was.series_id, was.run, was.branch, was.branch_after, was.commit_sha,
             was.commit_after, was.label, was.label_after, false)
            OR was.superseded_by IS NOT NULL OR NEW.superseded_by IS NULL) THEN
        RAISE EXCEPTION 'what takes the place of p% says nothing else of it, and comes once',
            NEW.profile_id USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER amendment_turn AFTER INSERT ON amendments FOR EACH ROW
    EXECUTE FUNCTION amendment_turn_check();

-- Whether one is made of the other's files: of its bytes, or of those of all its hosts. A profile
-- of before 0090 has no hosts of its own; its bytes are those of one.
CREATE FUNCTION capture_holds(successor_id bigint, profile_id bigint) RETURNS boolean STABLE
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM stepledger.profiles s
        JOIN stepledger.profiles p ON p.project_id = s.project_id AND p.id = $2
        WHERE s.id = $1
          AND (p.trace_sha256 = s.trace_sha256
               OR NOT EXISTS (
                   SELECT h.sha256 FROM stepledger.capture_hosts h WHERE h.profile_id = p.id
                   UNION ALL
                   SELECT p.trace_sha256
                   WHERE NOT EXISTS (SELECT FROM stepledger.capture_hosts h
                                     WHERE h.profile_id = p.id)
                   EXCEPT
                   SELECT m.sha256 FROM stepledger.capture_hosts m WHERE m.profile_id = s.id)));
$$;

-- As in 0191; the successor is being made, in this transaction and so by this login, and it is of
-- the workload that the profile is of now and of the same capture. (Its run may differ: hosts that
-- come with a name join those that came without.)
CREATE OR REPLACE FUNCTION amendment_right_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    fact text;
BEGIN
    IF stepledger.login_is_peoples(TG_RELID) THEN
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
    PERFORM FROM stepledger.profiles s
    JOIN stepledger.series t ON t.id = s.series_id
    JOIN stepledger.series o ON o.id = NEW.series_id AND o.project_id = t.project_id
                            AND o.workload = t.workload
    WHERE s.id = NEW.superseded_by AND s.xmin = pg_current_xact_id()::xid;
    IF NOT FOUND OR NOT stepledger.capture_holds(NEW.superseded_by, NEW.profile_id) THEN
        RAISE EXCEPTION 'role % may say that p% takes the place of p% only as it stores it, of the '
            'same files and workload', session_user, NEW.superseded_by, NEW.profile_id
            USING ERRCODE = 'insufficient_privilege';
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
