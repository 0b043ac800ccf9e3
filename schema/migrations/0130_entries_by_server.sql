-- 0130: entries are made by the server alone.
--
-- Whoever had INSERT on `entries` could stop a chain for good (a position of 2^63 - 1), stop every
-- writer of ids to come (an entry of a subject that is not there yet), or say that somebody else
-- had written it. Now one function with the owner's rights appends: the position is the head's and
-- one more, the time is the server's, the author is who logged in, and the subject must be there.
-- The content's hash is the caller's word: it is computed from the bytes on their way to the server
-- (history/canonical.h), and `verify` computes it again.
--
-- Ids, times and authors of all rows come from the server, too: nobody has the right to insert into
-- those columns. What waits for others waits for rows that only the owner can lock: an advisory
-- lock could be taken, and held, by whoever may connect.

-- Who wrote an entry, and for whom: a person or a token that asked. NULL in entries of version 1.
ALTER TABLE entries
    ADD COLUMN recorded_by text,
    ADD COLUMN on_behalf_of text CHECK (length(on_behalf_of) BETWEEN 1 AND 200);

-- A row per chain, per workload and per alert at a destination: what is locked is the row.
CREATE TABLE locks (name text COLLATE "C" PRIMARY KEY);

-- Waits for the lock of that name, which is this transaction's until its end.
CREATE FUNCTION ledger_lock(lock_name text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM stepledger.locks l WHERE l.name = lock_name FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO stepledger.locks (name) VALUES (lock_name) ON CONFLICT DO NOTHING;
        PERFORM FROM stepledger.locks l WHERE l.name = lock_name FOR UPDATE;
    END IF;
END
$$;

-- One appender per (project, workload): so ids ascend in commit order there.
CREATE FUNCTION workload_lock(project_id bigint, workload text) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT stepledger.ledger_lock('workload ' || $1 || ' ' || $2);
$$;

-- One producer per (destination, order key), in one order for everybody.
CREATE FUNCTION outbox_lock(destinations text[], order_keys text[]) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT stepledger.ledger_lock(w.name)
    FROM (SELECT DISTINCT ('outbox ' || k.destination || ' ' || k.order_key) COLLATE "C" AS name
          FROM unnest($1, $2) AS k (destination, order_key) ORDER BY name) AS w;
$$;

-- The head of a chain, which is this transaction's alone until its end. Statements of their own:
-- the second must see what was committed while the first waited.
DROP FUNCTION chain_head(text);
CREATE FUNCTION chain_head(name text, OUT head_position bigint, OUT head_sha256 bytea,
                           OUT now_at timestamptz)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    head_at timestamptz;
BEGIN
    IF name !~ '^([sj][1-9][0-9]*|ledger)$' THEN
        RAISE EXCEPTION '"%" is no chain', name USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM stepledger.ledger_lock('chain ' || name);
    SELECT e.position, e.entry_sha256, e.recorded_at INTO head_position, head_sha256, head_at
    FROM stepledger.entries e WHERE e.chain = name ORDER BY e.position DESC LIMIT 1;
    now_at := clock_timestamp();
    -- A clock that is set right by a moment does not run backwards along a chain.
    IF head_at > now_at AND head_at < now_at + interval '5 minutes' THEN
        now_at := head_at;
    END IF;
END
$$;

-- The chain that a subject belongs to; NULL: there is no such subject. supersedes: the position, in
-- that chain, of what it corrects.
CREATE FUNCTION entry_place(kind text, id bigint, OUT chain text, OUT supersedes bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    CASE kind
    WHEN 'profile' THEN
        SELECT 's' || p.series_id INTO chain FROM stepledger.profiles p
        WHERE p.id = entry_place.id;
    WHEN 'event' THEN
        SELECT 's' || p.series_id INTO chain
        FROM stepledger.profile_events e JOIN stepledger.profiles p ON p.id = e.profile_id
        WHERE e.id = entry_place.id;
    WHEN 'verdict' THEN
        SELECT coalesce('s' || v.series_id, 'j' || v.project_id) INTO chain
        FROM stepledger.verdicts v WHERE v.id = entry_place.id;
    WHEN 'delivery' THEN
        SELECT coalesce('s' || v.series_id, 'j' || v.project_id, 'ledger') INTO chain
        FROM stepledger.deliveries d LEFT JOIN stepledger.verdicts v ON v.id = d.verdict_id
        WHERE d.id = entry_place.id;
    WHEN 'acceptance' THEN
        SELECT 'j' || a.project_id INTO chain FROM stepledger.acceptances a
        WHERE a.id = entry_place.id;
    WHEN 'rebaseline' THEN
        SELECT 's' || r.series_id INTO chain FROM stepledger.rebaselines r
        WHERE r.id = entry_place.id;
    WHEN 'alert' THEN
        SELECT 'j' || l.project_id INTO chain FROM stepledger.alert_events l
        WHERE l.id = entry_place.id;
    WHEN 'track' THEN
        SELECT 'j' || t.project_id INTO chain FROM stepledger.track_records t
        WHERE t.id = entry_place.id;
    WHEN 'change_point' THEN
        SELECT 's' || c.series_id INTO chain FROM stepledger.change_points c
        WHERE c.id = entry_place.id;
    WHEN 'amendment' THEN
        SELECT 's' || p.series_id, e.position INTO chain, supersedes
        FROM stepledger.amendments a
        JOIN stepledger.profiles p ON p.id = a.profile_id
        LEFT JOIN stepledger.entries e ON e.kind = 'profile' AND e.subject_id = p.id
        WHERE a.id = entry_place.id;
    WHEN 'archive' THEN
        SELECT 'ledger' INTO chain FROM stepledger.archives x WHERE x.id = entry_place.id;
    WHEN 'checkpoint' THEN
        SELECT 'ledger' INTO chain FROM stepledger.checkpoints c WHERE c.id = entry_place.id;
    END CASE;
END
$$;

-- A value of a row as entries are hashed over it: its length in 32 bits (-1: NULL), then its bytes.
CREATE FUNCTION entry_value(value bytea) RETURNS bytea IMMUTABLE LANGUAGE sql
RETURN coalesce(int4send(octet_length(value)) || value, int4send(-1));

-- Appends the entry of a subject, whose rows are all written, to the chain that it belongs to.
-- ERRCODE unique_violation: it has one. The entry's hash is that of history/canonical.h, version 2.
CREATE FUNCTION entry_append(kind text, subject_id bigint, content_sha256 bytea, on_behalf_of text)
RETURNS bigint LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place record;
    head record;
    new_position bigint;
    previous bytea;
BEGIN
    SELECT * INTO place FROM stepledger.entry_place(kind, subject_id);
    IF place.chain IS NULL THEN
        RAISE EXCEPTION 'there is no % % that could get an entry', kind, subject_id
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    SELECT * INTO head FROM stepledger.chain_head(place.chain);
    new_position := coalesce(head.head_position, 0) + 1;
    previous := coalesce(head.head_sha256, decode(repeat('00', 32), 'hex'));
    INSERT INTO stepledger.entries (chain, position, kind, subject_id, supersedes, content_version,
                                    content_sha256, previous_sha256, recorded_at, recorded_by,
                                    on_behalf_of, entry_sha256)
    VALUES (place.chain, new_position, kind, subject_id, place.supersedes, 2, content_sha256,
            previous, head.now_at, session_user, on_behalf_of,
            sha256(convert_to('stepledger.entry.v2', 'UTF8') || decode('00', 'hex')
                   || int2send(11::int2)
                   || stepledger.entry_value(convert_to(place.chain, 'UTF8'))
                   || stepledger.entry_value(int8send(new_position))
                   || stepledger.entry_value(convert_to(kind, 'UTF8'))
                   || stepledger.entry_value(int8send(subject_id))
                   || stepledger.entry_value(int8send(place.supersedes))
                   || stepledger.entry_value(int4send(2))
                   || stepledger.entry_value(content_sha256)
                   || stepledger.entry_value(previous)
                   || stepledger.entry_value(timestamptz_send(head.now_at))
                   || stepledger.entry_value(convert_to(session_user, 'UTF8'))
                   || stepledger.entry_value(convert_to(on_behalf_of, 'UTF8'))));
    RETURN new_position;
END
$$;

-- Who recorded something, and for whom: "alice as stepledger". What came here from a ledger of
-- before names both already.
CREATE FUNCTION recorded_for(recorded_by text, on_behalf_of text) RETURNS text IMMUTABLE
LANGUAGE sql
RETURN CASE WHEN on_behalf_of = recorded_by
                 OR starts_with(reverse(on_behalf_of), reverse(' as ' || recorded_by))
            THEN on_behalf_of
            ELSE concat_ws(' as ', on_behalf_of, recorded_by) END;

-- The same of a subject of the ledger. Until its transaction ends it has no entry.
CREATE FUNCTION entry_author(kind text, subject_id bigint, recorded_by text) RETURNS text STABLE
LANGUAGE sql
RETURN recorded_for(recorded_by, (SELECT e.on_behalf_of FROM entries e
                                  WHERE e.kind = entry_author.kind
                                    AND e.subject_id = entry_author.subject_id));

-- ---- ids, times and authors are the server's ---------------------------------------------------

-- A profile without a run is a run of its own, named by its id.
CREATE FUNCTION profile_run_name() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.run := 'p' || NEW.id;
    RETURN NEW;
END
$$;
CREATE TRIGGER profile_run BEFORE INSERT ON profiles FOR EACH ROW WHEN (NEW.run IS NULL)
    EXECUTE FUNCTION profile_run_name();

-- The number of a verdict, as of a checkpoint, is asked for before the row is written (documents
-- name it), and is the last one that this session was given.
DO $$
DECLARE
    table_name text;
    last_number bigint;
    was_called boolean;
BEGIN
    FOREACH table_name IN ARRAY ARRAY['verdicts', 'checkpoints'] LOOP
        EXECUTE format('SELECT last_value, is_called FROM stepledger.%I', table_name || '_id_seq')
            INTO last_number, was_called;
        EXECUTE format('ALTER TABLE stepledger.%I ALTER COLUMN id DROP IDENTITY', table_name);
        EXECUTE format('CREATE SEQUENCE stepledger.%I OWNED BY stepledger.%I.id',
                       table_name || '_id_seq', table_name);
        PERFORM setval(('stepledger.' || table_name || '_id_seq')::regclass, last_number,
                       was_called);
        EXECUTE format('ALTER TABLE stepledger.%I ALTER COLUMN id SET DEFAULT currval(%L)',
                       table_name, 'stepledger.' || table_name || '_id_seq');
    END LOOP;
END
$$;

-- The day of a row is that of its transaction in UTC, whatever zone the session asks for; a clock
-- that is set back does not put the profile on another day than its rows.
ALTER TABLE profiles ALTER COLUMN recorded_at SET DEFAULT
    greatest(now(), least(clock_timestamp(),
                          ((now() AT TIME ZONE 'UTC')::date + 1)::timestamp AT TIME ZONE 'UTC'
                          - interval '1 microsecond'));
DO $$
DECLARE
    parent text;
BEGIN
    FOREACH parent IN ARRAY ledger_monthly() LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN recorded_on '
                       'SET DEFAULT (now() AT TIME ZONE ''UTC'')::date', parent);
    END LOOP;
END
$$;

-- Gives roles the right to append to tables, but for the columns that the server fills.
CREATE PROCEDURE ledger_grant_append(tables text[], roles text[]) LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    role_name text;
    table_name text;
    columns text;
BEGIN
    FOREACH table_name IN ARRAY tables LOOP
        SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) INTO columns
        FROM pg_attribute a
        WHERE a.attrelid = ('stepledger.' || quote_ident(table_name))::regclass AND a.attnum > 0
          AND NOT a.attisdropped AND a.attidentity = '' AND a.attgenerated = ''
          AND NOT (a.attname = 'id' AND a.atthasdef)
          AND a.attname <> ALL (ARRAY['recorded_at', 'recorded_by', 'recorded_on']);
        FOR role_name IN
            SELECT rolname FROM pg_roles WHERE rolname = ANY (roles || 'stepledger'::text)
        LOOP
            EXECUTE format('GRANT USAGE ON SCHEMA stepledger TO %I', role_name);
            EXECUTE format('REVOKE INSERT ON stepledger.%I FROM %I', table_name, role_name);
            EXECUTE format('GRANT INSERT (%s) ON stepledger.%I TO %I', columns, table_name,
                           role_name);
        END LOOP;
    END LOOP;
END
$$;

-- Who could append to a table of the ledger still can. What `origins` tells of another ledger is
-- the word of who imports it.
DO $$
DECLARE
    held record;
BEGIN
    FOR held IN
        SELECT c.relname::text AS table_name, r.rolname::text AS role_name
        FROM pg_catalog.pg_class c
        CROSS JOIN LATERAL aclexplode(c.relacl) AS x
        JOIN pg_catalog.pg_roles r ON r.oid = x.grantee
        WHERE c.relnamespace = 'stepledger'::regnamespace AND x.privilege_type = 'INSERT'
          AND r.rolname IN ('stepledger', 'stepledger_ingest', 'stepledger_compare',
                            'stepledger_alert')
          AND (c.relname = 'silences'
               OR EXISTS (SELECT FROM pg_catalog.pg_trigger t
                          WHERE t.tgrelid = c.oid AND t.tgname = 'ledger_refuse_row'))
    LOOP
        IF held.table_name = 'entries' THEN
            EXECUTE format('REVOKE INSERT ON entries FROM %I', held.role_name);
        ELSIF held.table_name <> 'origins' THEN
            CALL ledger_grant_append(ARRAY[held.table_name], ARRAY[held.role_name]);
        END IF;
    END LOOP;
    FOR held IN
        SELECT rolname::text AS role_name FROM pg_catalog.pg_roles
        WHERE rolname IN ('stepledger', 'stepledger_ingest')
    LOOP
        EXECUTE format('REVOKE ALL ON SEQUENCE profiles_id_seq FROM %I', held.role_name);
    END LOOP;
END
$$;

-- Gives roles the right to call functions that have the owner's rights, and nobody else.
CREATE PROCEDURE ledger_grant_execute(function_name regprocedure, roles text[]) LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    role_name text;
BEGIN
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', function_name);
    FOR role_name IN
        SELECT rolname FROM pg_roles WHERE rolname = ANY (roles || 'stepledger'::text)
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', function_name, role_name);
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION ledger_lock(text) FROM PUBLIC;
CALL ledger_grant_execute('entry_append(text, bigint, bytea, text)',
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert']);
CALL ledger_grant_execute('chain_head(text)',
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert']);
CALL ledger_grant_execute('workload_lock(bigint, text)',
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert']);
CALL ledger_grant_execute('outbox_lock(text[], text[])',
    ARRAY['stepledger_compare', 'stepledger_alert']);
DO $$
DECLARE
    role_name text;
BEGIN
    FOR role_name IN SELECT rolname FROM pg_catalog.pg_roles
                     WHERE rolname IN ('stepledger', 'stepledger_ingest', 'stepledger_compare',
                                       'stepledger_alert') LOOP
        EXECUTE format('GRANT USAGE ON SEQUENCE %s TO %I',
                       CASE role_name WHEN 'stepledger' THEN 'verdicts_id_seq, checkpoints_id_seq'
                       WHEN 'stepledger_compare' THEN 'verdicts_id_seq'
                       ELSE 'checkpoints_id_seq' END, role_name);
    END LOOP;
END
$$;
CALL ledger_grant('SELECT', ARRAY['locks'], ARRAY['stepledger_read']);

-- The months of 0042, without an advisory lock.
CREATE OR REPLACE FUNCTION ledger_months_ensure(OUT were_there boolean) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' AS $$
DECLARE
    this_month date := date_trunc('month', CURRENT_DATE)::date;
    next_month date := (this_month + interval '1 month')::date;
BEGIN
    were_there := NOT EXISTS (
        SELECT FROM unnest(stepledger.ledger_monthly()) AS t (parent),
                    unnest(ARRAY[this_month, next_month]) AS m (month)
        WHERE to_regclass('stepledger.' || stepledger.ledger_month_table(parent, month)) IS NULL);
    IF NOT were_there THEN
        PERFORM stepledger.ledger_lock('months');
        CALL stepledger.ledger_month_add(this_month);
        CALL stepledger.ledger_month_add(next_month);
    END IF;
END
$$;

-- Functions that run for others look at nothing that the session could have put in their way.
ALTER FUNCTION ledger_entry_check() SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION ledger_refuse() SET search_path = pg_catalog, pg_temp;
