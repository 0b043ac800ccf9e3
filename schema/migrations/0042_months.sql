-- 0042: the tables that grow with ops, steps and devices, one partition per month.
--
-- A row lies in the month on which its transaction began (UTC), as its profile does: the day of a
-- profile is `recorded_on`, so that who knows the profile finds its rows in one partition. Months
-- let old rows go (they are detached whole, never deleted) and keep every index small.
--
-- `ledger_months_ensure` makes the partitions of this month and the next one. It needs no rights of
-- its caller, so an appender in the first second of a month waits for nobody. There is no default
-- partition: attaching a month would have to search it, under a lock that stops appends.

-- A transaction over midnight belongs to the day on which it began, with all its rows.
ALTER TABLE profiles ALTER COLUMN recorded_at SET DEFAULT
    least(clock_timestamp(),
          (CURRENT_DATE + 1)::timestamp AT TIME ZONE 'UTC' - interval '1 microsecond');
ALTER TABLE profiles ADD COLUMN recorded_on date NOT NULL
    GENERATED ALWAYS AS ((recorded_at AT TIME ZONE 'UTC')::date) STORED;

ALTER TABLE summaries RENAME TO old_summaries;
ALTER TABLE profile_devices RENAME TO old_profile_devices;
ALTER TABLE profile_steps RENAME TO old_profile_steps;
ALTER TABLE step_spans RENAME TO old_step_spans;
ALTER TABLE op_rows RENAME TO old_op_rows;
ALTER INDEX summaries_pkey RENAME TO old_summaries_pkey;
ALTER INDEX profile_steps_of_profile RENAME TO old_profile_steps_of_profile;
ALTER INDEX step_spans_of_profile RENAME TO old_step_spans_of_profile;
ALTER INDEX op_rows_of_profile RENAME TO old_op_rows_of_profile;

-- No foreign key: attaching a month would need a lock on `profiles` that appends hold.
CREATE TABLE summaries (
    profile_id  bigint NOT NULL,
    recorded_on date NOT NULL DEFAULT CURRENT_DATE,
    document    text COMPRESSION lz4 NOT NULL,
    PRIMARY KEY (profile_id, recorded_on)
) PARTITION BY RANGE (recorded_on);

CREATE TABLE profile_devices (
    profile_id            bigint NOT NULL,
    ordinal               integer NOT NULL,
    recorded_on           date NOT NULL DEFAULT CURRENT_DATE,
    name                  text NOT NULL,
    host                  text,
    window_ps             bigint NOT NULL,
    busy_ps               bigint NOT NULL,
    idle_ps               bigint NOT NULL,
    compute_ps            bigint NOT NULL,
    exposed_comm_ps       bigint NOT NULL,
    overlapped_comm_ps    bigint NOT NULL,
    exposed_copy_ps       bigint NOT NULL,
    steady_step_median_ps bigint,
    op_count              bigint NOT NULL
) PARTITION BY RANGE (recorded_on);

CREATE TABLE profile_steps (
    profile_id     bigint NOT NULL,
    number         bigint NOT NULL,
    recorded_on    date NOT NULL DEFAULT CURRENT_DATE,
    warmup         boolean NOT NULL,
    max_ps         bigint NOT NULL,
    mean_ps        bigint NOT NULL,
    slowest_device integer,
    period_ps      bigint,
    gap_before_ps  bigint
) PARTITION BY RANGE (recorded_on);

CREATE TABLE step_spans (
    profile_id  bigint NOT NULL,
    number      bigint NOT NULL,
    recorded_on date NOT NULL DEFAULT CURRENT_DATE,
    device      integer,
    start_ps    bigint NOT NULL,
    duration_ps bigint NOT NULL
) PARTITION BY RANGE (recorded_on);

CREATE TABLE op_rows (
    profile_id         bigint NOT NULL,
    ordinal            integer NOT NULL,
    recorded_on        date NOT NULL DEFAULT CURRENT_DATE,
    signature_id       uuid NOT NULL,
    max_device         integer,
    asynchronous       boolean NOT NULL,
    program            text,
    phase              text,
    count              bigint NOT NULL,
    device_count       bigint NOT NULL,
    total_ps           bigint NOT NULL,
    self_ps            bigint NOT NULL,
    max_device_self_ps bigint NOT NULL,
    steady_count       bigint NOT NULL,
    steady_self_ps     bigint NOT NULL,
    flops              double precision,
    bytes_accessed     double precision
) PARTITION BY RANGE (recorded_on);

-- Pages per range: a profile of 500 ops fills about 10 pages, its other rows less than one. Wider
-- ranges read more rows for nothing, narrower ones make the index slower to go through.
CREATE INDEX profile_devices_of_profile ON profile_devices
    USING brin (profile_id) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX profile_steps_of_profile ON profile_steps
    USING brin (profile_id) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX step_spans_of_profile ON step_spans
    USING brin (profile_id) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX op_rows_of_profile ON op_rows
    USING brin (profile_id) WITH (pages_per_range = 32, autosummarize = on);

DO $$
DECLARE
    table_name text;
BEGIN
    FOREACH table_name IN ARRAY ARRAY[
        'summaries', 'profile_devices', 'profile_steps', 'step_spans', 'op_rows'] LOOP
        CALL ledger_protect(table_name::regclass);
    END LOOP;
END
$$;
CALL ledger_grant('SELECT', ARRAY[
    'summaries', 'profile_devices', 'profile_steps', 'step_spans', 'op_rows'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert', 'stepledger_read']);
CALL ledger_grant('INSERT', ARRAY[
    'summaries', 'profile_devices', 'profile_steps', 'step_spans', 'op_rows'],
    ARRAY['stepledger_ingest']);

-- The tables that have months, in the order in which an append locks them: who takes several of
-- them takes them in this order.
CREATE FUNCTION ledger_monthly() RETURNS text[] LANGUAGE sql IMMUTABLE
RETURN ARRAY['summaries', 'profile_devices', 'profile_steps', 'op_rows', 'step_spans'];

CREATE FUNCTION ledger_month_table(parent text, month date) RETURNS text LANGUAGE sql IMMUTABLE
RETURN parent || to_char(month::timestamp, '_YYYY_MM');

-- Makes the partitions of one month; those that are there stay. Nobody is given a right on a
-- partition: the way to its rows is the table. Its row trigger comes from the table, too.
CREATE PROCEDURE ledger_month_add(month date) LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    parent text;
    part text;
BEGIN
    FOREACH parent IN ARRAY stepledger.ledger_monthly() LOOP
        part := stepledger.ledger_month_table(parent, month);
        CONTINUE WHEN to_regclass('stepledger.' || part) IS NOT NULL;
        EXECUTE format('CREATE TABLE stepledger.%I (LIKE stepledger.%I INCLUDING ALL)',
                       part, parent);
        EXECUTE format('CREATE TRIGGER ledger_refuse_statement '
                       'BEFORE UPDATE OR DELETE OR TRUNCATE ON stepledger.%I '
                       'FOR EACH STATEMENT EXECUTE FUNCTION stepledger.ledger_refuse()', part);
        EXECUTE format('ALTER TABLE stepledger.%I ATTACH PARTITION stepledger.%I '
                       'FOR VALUES FROM (%L) TO (%L)',
                       parent, part, month, (month + interval '1 month')::date);
    END LOOP;
END
$$;

-- Whether the partitions of this month and the next one are there; makes them when not. Who comes
-- second waits for the first one's transaction, and then finds them.
CREATE FUNCTION ledger_months_ensure(OUT were_there boolean) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' AS $$
DECLARE
    this_month date := date_trunc('month', CURRENT_DATE)::date;
    next_month date := (this_month + interval '1 month')::date;
BEGIN
    were_there := NOT EXISTS (
        SELECT FROM unnest(stepledger.ledger_monthly()) AS t (parent),
                    unnest(ARRAY[this_month, next_month]) AS m (month)
        WHERE to_regclass('stepledger.' || stepledger.ledger_month_table(parent, month)) IS NULL);
    IF NOT were_there THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('stepledger.months', 0));
        CALL stepledger.ledger_month_add(this_month);
        CALL stepledger.ledger_month_add(next_month);
    END IF;
END
$$;
REVOKE EXECUTE ON PROCEDURE ledger_month_add(date) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION ledger_months_ensure() FROM PUBLIC;
DO $$
DECLARE
    role_name text;
BEGIN
    FOR role_name IN SELECT rolname FROM pg_catalog.pg_roles
                     WHERE rolname IN ('stepledger', 'stepledger_ingest') LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION ledger_months_ensure() TO %I', role_name);
    END LOOP;
END
$$;

-- What was there moves into its months, profile by profile, so that it lies together as before.
-- Rows that belong to no profile are kept, too: `verify` names them.
DO $$
DECLARE
    day date;
    parent text;
    columns text;
    moved bigint;
    held bigint;
    leaf regclass;
BEGIN
    PERFORM set_config('work_mem', '256MB', true);
    FOR day IN SELECT DISTINCT date_trunc('month', recorded_on::timestamp)::date FROM profiles LOOP
        CALL ledger_month_add(day);
    END LOOP;
    PERFORM ledger_months_ensure();
    FOREACH parent IN ARRAY ledger_monthly() LOOP
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns
        FROM pg_catalog.pg_attribute
        WHERE attrelid = ('old_' || parent)::regclass AND attnum > 0 AND NOT attisdropped;
        EXECUTE format('INSERT INTO %I (recorded_on, %s) '
                       'SELECT coalesce(p.recorded_on, CURRENT_DATE), o.* '
                       'FROM %I o LEFT JOIN profiles p ON p.id = o.profile_id '
                       'ORDER BY o.profile_id, o.ctid',
                       parent, columns, 'old_' || parent);
        GET DIAGNOSTICS moved = ROW_COUNT;
        EXECUTE format('SELECT count(*) FROM %I', 'old_' || parent) INTO held;
        IF moved <> held THEN
            RAISE EXCEPTION '%: % of % rows were moved', parent, moved, held;
        END IF;
        EXECUTE format('DROP TABLE %I', 'old_' || parent);
        EXECUTE format('ANALYZE %I', parent);
    END LOOP;
    FOR leaf IN
        SELECT i.indexrelid::regclass
        FROM pg_catalog.pg_index i
        JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
        JOIN pg_catalog.pg_am a ON a.oid = c.relam
        WHERE c.relnamespace = 'stepledger'::regnamespace AND c.relkind = 'i' AND a.amname = 'brin'
    LOOP
        PERFORM brin_summarize_new_values(leaf);
    END LOOP;
END
$$;
