-- 0090: which hosts a capture has, and what tells a later one that it belongs to it.
--
-- A capture's summary is the merge of its hosts' summaries. A host that comes later is merged with
-- those that came before, so each host's own summary is kept: once, with the first profile that had
-- it. The profile with more hosts supersedes the one with fewer (amendments).
--
-- The rows are part of the content of their profile's entry (history/entry_kinds.c). Profiles of
-- before have none: nothing joins them.

CREATE TABLE capture_hosts (
    profile_id  bigint NOT NULL REFERENCES profiles,
    ordinal     integer NOT NULL,
    sha256      bytea NOT NULL CHECK (length(sha256) = 32),
    host        text,
    process     bigint,
    begin_ns    bigint,
    end_ns      bigint,
    capture_key text,
    job         text,
    document    text COMPRESSION lz4,
    PRIMARY KEY (profile_id, ordinal)
);
COMMENT ON COLUMN capture_hosts.begin_ns IS 'of its window, since 1970; NULL: its clock is unknown';
COMMENT ON COLUMN capture_hosts.capture_key IS '--capture';
COMMENT ON COLUMN capture_hosts.job IS 'the directory of the job, and which one of that name';
COMMENT ON COLUMN capture_hosts.document IS
    'the summary of the file alone; NULL: that of the profile, or kept with an earlier one';
CREATE INDEX capture_hosts_of_window ON capture_hosts (begin_ns, end_ns);
CREATE INDEX capture_hosts_of_bytes ON capture_hosts (sha256, profile_id);
CREATE INDEX capture_hosts_of_job ON capture_hosts (job, profile_id) WHERE job IS NOT NULL;
CREATE INDEX capture_hosts_of_key ON capture_hosts (capture_key, profile_id)
    WHERE capture_key IS NOT NULL;

CALL ledger_protect('capture_hosts');
CALL ledger_grant('SELECT', ARRAY['capture_hosts'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert', 'stepledger_read']);
CALL ledger_grant('INSERT', ARRAY['capture_hosts'], ARRAY['stepledger_ingest']);
