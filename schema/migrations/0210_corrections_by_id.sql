-- 0210: the last correction of a profile is the one that came last.
--
-- Corrections are numbered one after the other since 0204. A row of before could have any number:
-- behind the last one that there is, none could come, and the profile stayed as it was said to be
-- for good. Now the id decides, which the server gives; a number far off is passed over, and the
-- next correction takes the one behind the others.

CREATE OR REPLACE VIEW last_amendments AS
SELECT a.* FROM amendments a
WHERE NOT EXISTS (SELECT FROM amendments n
                  WHERE n.profile_id = a.profile_id AND n.id > a.id);

-- What the next correction of a profile is numbered, beside one that is there already. Beyond a
-- billion no number was given in turn.
CREATE FUNCTION amendment_next_ordinal(profile_id bigint, beside_id bigint) RETURNS integer STABLE
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(max(a.ordinal), 0) + 1 FROM stepledger.amendments a
    WHERE a.profile_id = $1 AND a.id IS DISTINCT FROM $2 AND a.ordinal < 1000000000;
$$;

-- As in 0204, with that number.
CREATE OR REPLACE FUNCTION amendment_turn_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    was stepledger.amendments;
    due integer := stepledger.amendment_next_ordinal(NEW.profile_id, NEW.id);
BEGIN
    SELECT a.* INTO was FROM stepledger.amendments a
    WHERE a.profile_id = NEW.profile_id AND a.id <> NEW.id
    ORDER BY a.id DESC LIMIT 1;
    IF NOT FOUND THEN
        SELECT p.series_id, p.run, 0, 0, 0, false
        INTO was.series_id, was.run, was.branch_after, was.commit_after, was.label_after,
             was.retracted
        FROM stepledger.profiles p WHERE p.id = NEW.profile_id;
    END IF;
    IF NEW.ordinal <> due THEN
        RAISE EXCEPTION 'correction % of p% cannot come now, its next one is %', NEW.ordinal,
            NEW.profile_id, due USING ERRCODE = 'invalid_parameter_value';
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
