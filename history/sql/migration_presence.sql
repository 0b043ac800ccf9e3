-- Whether the schema and its table of migrations are there. Asks the catalogs, which every role
-- may read.
-- Parameters: none
-- Result: has_schema boolean, has_table boolean
SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'stepledger'),
       EXISTS (SELECT FROM pg_catalog.pg_class c
               JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = 'stepledger' AND c.relname = 'schema_migrations');
