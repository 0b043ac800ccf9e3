-- 0187: what each profile asks of the server's functions costs less.
--
-- Storing a profile had become a fifth dearer in processor time when entries came from the server
-- alone (0130) and closed subjects were closed (0133). Three things cost most of it: functions in
-- SQL are parsed and planned again in each statement that calls them, a setting of a function's own
-- is made and taken back in each call, and a profile and its first event asked for the same head
-- twice. Who may do what is as it was.

-- Called by functions that run with the owner's rights and set the path themselves, and by nobody
-- else: a setting of its own would only be made twice.
CREATE OR REPLACE FUNCTION ledger_lock(lock_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM stepledger.locks l WHERE l.name OPERATOR(pg_catalog.=) lock_name FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO stepledger.locks (name) VALUES (lock_name) ON CONFLICT DO NOTHING;
        PERFORM FROM stepledger.locks l WHERE l.name OPERATOR(pg_catalog.=) lock_name FOR UPDATE;
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION workload_lock(project_id bigint, workload text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM stepledger.ledger_lock('workload ' || project_id || ' ' || workload);
END
$$;

-- An entry at a chain's head; the hash that it has. As ledger_lock: for functions of this file.
CREATE FUNCTION entry_write(chain text, new_position bigint, previous bytea, at timestamptz,
                            kind text, subject_id bigint, supersedes bigint, content_sha256 bytea,
                            on_behalf_of text) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
    hash bytea := sha256(
        convert_to('stepledger.entry.v2', 'UTF8') || decode('00', 'hex') || int2send(11::int2)
        || stepledger.entry_value(convert_to(chain, 'UTF8'))
        || stepledger.entry_value(int8send(new_position))
        || stepledger.entry_value(convert_to(kind, 'UTF8'))
        || stepledger.entry_value(int8send(subject_id))
        || stepledger.entry_value(int8send(supersedes))
        || stepledger.entry_value(int4send(2))
        || stepledger.entry_value(content_sha256)
        || stepledger.entry_value(previous)
        || stepledger.entry_value(timestamptz_send(at))
        || stepledger.entry_value(convert_to(session_user, 'UTF8'))
        || stepledger.entry_value(convert_to(on_behalf_of, 'UTF8')));
BEGIN
    INSERT INTO stepledger.entries (chain, position, kind, subject_id, supersedes, content_version,
                                    content_sha256, previous_sha256, recorded_at, recorded_by,
                                    on_behalf_of, entry_sha256)
    VALUES (chain, new_position, kind, subject_id, supersedes, 2, content_sha256, previous, at,
            session_user, on_behalf_of, hash);
    RETURN hash;
END
$$;

CREATE OR REPLACE FUNCTION entry_append(kind text, subject_id bigint, content_sha256 bytea,
                                        on_behalf_of text)
RETURNS bigint LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place record;
    head record;
    new_position bigint;
BEGIN
    SELECT * INTO place FROM stepledger.entry_place(kind, subject_id);
    IF place.chain IS NULL THEN
        RAISE EXCEPTION 'there is no % % that could get an entry', kind, subject_id
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    SELECT * INTO head FROM stepledger.chain_head(place.chain);
    new_position := coalesce(head.head_position, 0) + 1;
    PERFORM stepledger.entry_write(
        place.chain, new_position, coalesce(head.head_sha256, decode(repeat('00', 32), 'hex')),
        head.now_at, kind, subject_id, place.supersedes, content_sha256, on_behalf_of);
    RETURN new_position;
END
$$;

-- The entries of a profile and of the event that came with it: neighbours on one chain.
CREATE FUNCTION profile_entries_append(profile_id bigint, profile_sha256 bytea, event_id bigint,
                                       event_sha256 bytea)
RETURNS bigint LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text;
    head record;
    new_position bigint;
    previous bytea;
BEGIN
    SELECT 's' || p.series_id INTO name
    FROM stepledger.profiles p JOIN stepledger.profile_events e ON e.profile_id = p.id
    WHERE p.id = profile_entries_append.profile_id AND e.id = event_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no profile % with an event % that could get entries', profile_id,
            event_id USING ERRCODE = 'foreign_key_violation';
    END IF;
    SELECT * INTO head FROM stepledger.chain_head(name);
    new_position := coalesce(head.head_position, 0) + 1;
    previous := stepledger.entry_write(
        name, new_position, coalesce(head.head_sha256, decode(repeat('00', 32), 'hex')),
        head.now_at, 'profile', profile_id, NULL, profile_sha256, NULL);
    PERFORM stepledger.entry_write(name, new_position + 1, previous, head.now_at, 'event', event_id,
                                   NULL, event_sha256, NULL);
    RETURN new_position;
END
$$;

REVOKE ALL ON FUNCTION entry_write(text, bigint, bytea, timestamptz, text, bigint, bigint, bytea,
                                   text) FROM PUBLIC;
CALL ledger_grant_execute('profile_entries_append(bigint, bytea, bigint, bytea)',
    ARRAY['stepledger_ingest']);
