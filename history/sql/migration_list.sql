-- What was applied, in order.
-- Parameters: none
-- Result: version integer, name text, sha256 text
SELECT version, name, sha256 FROM stepledger.schema_migrations ORDER BY version;
