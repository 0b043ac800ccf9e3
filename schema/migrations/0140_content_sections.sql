-- 0140: the digests that a profile's content hash is made of, so that a part of it can be checked
-- without reading the rest.
--
-- A gate reads steps, measures and provenance of hundreds of past runs, and the documents of a few;
-- an entry has one hash, over all the rows of a profile. With the digests of its sections, whose
-- hash that is, what was read can be checked alone. Nothing rests on these rows: each is checked
-- against the entry before it is used, and one that is missing or wrong is made anew from the
-- profile's rows (history/recorded.h).

CREATE TABLE content_sections (
    profile_id bigint PRIMARY KEY REFERENCES profiles,
    sections   bytea NOT NULL CHECK (length(sections) % 40 = 0)
);
COMMENT ON TABLE content_sections IS 'a cache: what is in it is checked against entries';
COMMENT ON COLUMN content_sections.sections IS
    'per section, in their order: the number of its rows in 8 bytes, their SHA-256';

CALL ledger_grant('SELECT', ARRAY['content_sections'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert', 'stepledger_read']);
CALL ledger_grant('INSERT', ARRAY['content_sections'], ARRAY['stepledger_ingest']);
