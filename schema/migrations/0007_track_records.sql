-- 0007: records of `track` that came from histories kept in files, so that one ledger holds all.

CREATE TABLE track_records (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id      bigint NOT NULL REFERENCES projects,
    workload        text NOT NULL CHECK (length(workload) BETWEEN 1 AND 200),
    document        text COMPRESSION lz4 NOT NULL,
    document_sha256 bytea NOT NULL CHECK (octet_length(document_sha256) = 32),
    recorded_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_by     text NOT NULL DEFAULT session_user,
    UNIQUE (project_id, workload, document_sha256)
);
CALL ledger_protect('track_records');
CALL ledger_grant('SELECT', ARRAY['track_records'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert', 'stepledger_read']);
CALL ledger_grant('INSERT', ARRAY['track_records'], ARRAY['stepledger_ingest']);
