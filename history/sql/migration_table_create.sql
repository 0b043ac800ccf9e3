-- Makes the record of applied migrations.
-- Parameters: none
-- Result: none
CREATE TABLE stepledger.schema_migrations (
    version         integer PRIMARY KEY CHECK (version > 0),
    name            text NOT NULL,
    sha256          text NOT NULL CHECK (length(sha256) = 64),
    program_version text NOT NULL,
    applied_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    applied_by      text NOT NULL DEFAULT session_user
);
