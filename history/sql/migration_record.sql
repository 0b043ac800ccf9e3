-- Records one migration, in the transaction that applied it.
-- Parameters: $1 version integer, $2 name text, $3 sha256 text, $4 program_version text
-- Result: none
INSERT INTO stepledger.schema_migrations (version, name, sha256, program_version)
VALUES ($1, $2, $3, $4);
