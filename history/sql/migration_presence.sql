-- Whether the schema and its table of migrations are there. Asks the catalogs, which every role
-- may read.
-- Parameters: none
-- Result: has_schema boolean, has_table boolean
SELECT pg_catalog.to_regnamespace('stepledger') IS NOT NULL,
       EXISTS (SELECT FROM pg_catalog.pg_class c
               WHERE c.relnamespace = pg_catalog.to_regnamespace('stepledger')::oid
                 AND c.relname = 'schema_migrations');
