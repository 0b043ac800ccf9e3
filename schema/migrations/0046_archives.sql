-- 0046: months that left the ledger for a file, and what is left of them here.
--
-- The rows of a month (0042) go into a file, and only when that was read again are its partitions
-- detached. Nothing is deleted: the detached tables stay, closed as before, until whoever owns the
-- ledger drops them. Here stay the hashes of what went, so that the chains can still be verified to
-- the last entry, and an entry that says where it went.

-- What became of a month: the last row about it decides. A month without one is in the ledger.
CREATE TABLE archives (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    month         date NOT NULL CHECK (extract(day FROM month) = 1),
    action        text NOT NULL CHECK (action IN ('detached', 'attached')),
    file_name     text NOT NULL,
    file_sha256   bytea NOT NULL CHECK (octet_length(file_sha256) = 32),
    file_bytes    bigint NOT NULL,
    profile_count bigint NOT NULL,
    row_count     bigint NOT NULL,
    recorded_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_by   text NOT NULL DEFAULT session_user
);
CREATE INDEX archives_of_month ON archives (month, id);

-- The hash of each section of a profile (history/canonical.h) whose rows went into an archive: with
-- those that are still here they make up the content that the profile's entry holds.
CREATE TABLE archived_sections (
    profile_id bigint NOT NULL,
    section    text COLLATE "C" NOT NULL,
    archive_id bigint NOT NULL,
    row_count  bigint NOT NULL CHECK (row_count > 0),
    sha256     bytea NOT NULL CHECK (octet_length(sha256) = 32),
    PRIMARY KEY (profile_id, archive_id, section)
);
CREATE INDEX archived_sections_of_archive ON archived_sections
    USING brin (archive_id) WITH (pages_per_range = 16, autosummarize = on);

CALL ledger_protect('archives');
CALL ledger_protect('archived_sections');
CALL ledger_grant('SELECT', ARRAY['archives', 'archived_sections'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert', 'stepledger_read']);

-- Where a month is: its archive while it is detached, NULL while it is here.
CREATE FUNCTION ledger_month_archive(month date) RETURNS bigint LANGUAGE sql STABLE
RETURN (SELECT CASE WHEN a.action = 'detached' THEN a.id END
        FROM stepledger.archives a
        WHERE a.month = date_trunc('month', ledger_month_archive.month::timestamp)::date
        ORDER BY a.id DESC LIMIT 1);

-- Detaches the partitions of a month that is over; they keep their rows under a name with the
-- suffix. The locks keep appends out, so they are asked for briefly, and again. Only the owner may.
CREATE FUNCTION ledger_month_detach(month date, suffix text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' AS $$
DECLARE
    parent text;
    part text;
    tries integer := 20;
BEGIN
    IF month >= date_trunc('month', CURRENT_DATE) THEN
        RAISE EXCEPTION 'the month % is not over', to_char(month::timestamp, 'YYYY-MM');
    END IF;
    LOOP
        BEGIN
            PERFORM set_config('lock_timeout', '2s', true);
            FOREACH parent IN ARRAY stepledger.ledger_monthly() LOOP
                EXECUTE format('LOCK TABLE ONLY stepledger.%I IN ACCESS EXCLUSIVE MODE', parent);
            END LOOP;
            EXIT;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            tries := tries - 1;
            IF tries = 0 THEN
                RAISE;
            END IF;
            PERFORM pg_sleep(1 + random());
        END;
    END LOOP;
    FOREACH parent IN ARRAY stepledger.ledger_monthly() LOOP
        part := stepledger.ledger_month_table(parent, month);
        EXECUTE format('ALTER TABLE stepledger.%I DETACH PARTITION stepledger.%I', parent, part);
        EXECUTE format('CREATE TRIGGER ledger_refuse_row BEFORE UPDATE OR DELETE ON stepledger.%I '
                       'FOR EACH ROW EXECUTE FUNCTION stepledger.ledger_refuse()', part);
        EXECUTE format('ALTER TABLE stepledger.%I RENAME TO %I', part, part || suffix);
    END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION ledger_month_detach(date, text) FROM PUBLIC;
