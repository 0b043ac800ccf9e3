-- What a backup is of: the server, and the last migration.
-- Parameters: none
-- Result: server_version text, schema_version integer
SELECT pg_catalog.current_setting('server_version'), max(version)::integer
FROM schema_migrations;
