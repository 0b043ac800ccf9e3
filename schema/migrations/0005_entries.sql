-- 0005: tamper evidence: every entry of the ledger on a chain of hashes, and tracked measures.
--
-- An entry stands for a subject (a profile, an event, a verdict, ...) with all its rows. It carries
-- the SHA-256 of the subject's content (history/canonical.h says of which bytes) and of the entry
-- before it in its chain. There is one chain per series ("s12"), one per project for what has no
-- series ("j3"), and one for the whole ledger ("ledger"), on which checkpoints hang.

CREATE TABLE entries (
    chain           text COLLATE "C" NOT NULL CHECK (chain ~ '^([sj][1-9][0-9]*|ledger)$'),
    position        bigint NOT NULL CHECK (position > 0),
    kind            text NOT NULL,
    subject_id      bigint NOT NULL,
    supersedes      bigint CHECK (supersedes < position),
    content_version integer NOT NULL,
    content_sha256  bytea NOT NULL CHECK (octet_length(content_sha256) = 32),
    previous_sha256 bytea NOT NULL CHECK (octet_length(previous_sha256) = 32),
    recorded_at     timestamptz NOT NULL,
    entry_sha256    bytea NOT NULL CHECK (octet_length(entry_sha256) = 32),
    PRIMARY KEY (chain, position),
    UNIQUE (kind, subject_id)
);
COMMENT ON COLUMN entries.supersedes IS
    'a correction: the position, in the same chain, of the entry that this one replaces';

-- The head of a chain, which is this transaction's alone until its end. Two statements inside: the
-- second must see what was committed while the first waited.
CREATE FUNCTION chain_head(name text, OUT head_position bigint, OUT head_sha256 bytea,
                           OUT now_at timestamptz)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('stepledger.chain ' || name, 0));
    SELECT e.position, e.entry_sha256 INTO head_position, head_sha256
    FROM stepledger.entries e WHERE e.chain = name ORDER BY e.position DESC LIMIT 1;
    now_at := clock_timestamp();
END
$$;

-- Up to which subject of each kind this migration found rows: those get their entries by the
-- back-fill that follows it, later ones only when they are appended.
CREATE TABLE chain_starts (
    kind    text PRIMARY KEY,
    last_id bigint NOT NULL
);
INSERT INTO chain_starts (kind, last_id)
SELECT 'profile', coalesce(max(id), 0) FROM profiles
UNION ALL SELECT 'event', coalesce(max(id), 0) FROM profile_events
UNION ALL SELECT 'verdict', coalesce(max(id), 0) FROM verdicts;

-- The heads of all chains at one moment, as a Merkle tree (history/merkle.h) and as a document.
CREATE TABLE checkpoints (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    root_sha256 bytea NOT NULL CHECK (octet_length(root_sha256) = 32),
    chain_count bigint NOT NULL,
    document    text COMPRESSION lz4 NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_by text NOT NULL DEFAULT session_user
);

-- The messages that a verdict caused, by hash: the outbox itself is work state.
CREATE TABLE verdict_messages (
    verdict_id   bigint NOT NULL REFERENCES verdicts,
    ordinal      integer NOT NULL,
    destination  text NOT NULL,
    order_key    text NOT NULL,
    dedupe_key   text NOT NULL,
    content_type text NOT NULL,
    body_sha256  bytea NOT NULL CHECK (octet_length(body_sha256) = 32),
    PRIMARY KEY (verdict_id, ordinal)
);
INSERT INTO verdict_messages (verdict_id, ordinal, destination, order_key, dedupe_key,
                              content_type, body_sha256)
SELECT o.verdict_id, row_number() OVER (PARTITION BY o.verdict_id ORDER BY o.id) - 1, d.name,
       o.order_key, o.dedupe_key, o.content_type, sha256(o.body)
FROM outbox o JOIN destinations d ON d.id = o.destination_id
WHERE o.verdict_id IS NOT NULL;

-- The dictionary of ops is shared; each row belongs to the content of the profile that brought it.
ALTER TABLE op_signatures ADD COLUMN introduced_by bigint;
UPDATE op_signatures o SET introduced_by = r.profile_id
FROM (SELECT signature_id, min(profile_id) AS profile_id FROM op_rows GROUP BY signature_id) AS r
WHERE r.signature_id = o.id;
CREATE INDEX op_signatures_of_profile ON op_signatures (introduced_by);

-- A few tens of numbers per profile, to be followed over the profiles of a series: everything a
-- trend needs lies in the index. The numbers of measures are those of history/measure_table.h.
CREATE TABLE measures (
    series_id  bigint NOT NULL,
    measure    integer NOT NULL,
    profile_id bigint NOT NULL,
    value      double precision NOT NULL,
    PRIMARY KEY (series_id, measure, profile_id) INCLUDE (value)
);
CREATE INDEX measures_of_profile ON measures
    USING brin (profile_id) WITH (pages_per_range = 16, autosummarize = on);
