-- What in the schema could make rows read or written otherwise than the ledger's own statements
-- mean: each thing with its kind and its name. What functions, views and triggers are is in
-- schema_shape. A grant: to change rows, or to say oneself what the server says of them (when,
-- by whom); `origins` tells of other ledgers, as who imports it says.
-- Parameters: none
-- Result: kind text, name text
SELECT 'row security'::text AS kind, c.relname::text AS name
FROM pg_class c
WHERE c.relnamespace = 'stepledger'::regnamespace AND (c.relrowsecurity OR c.relforcerowsecurity)
UNION ALL
SELECT 'policy', c.relname || '.' || p.polname
FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
WHERE c.relnamespace = 'stepledger'::regnamespace
UNION ALL
SELECT 'rule', c.relname || '.' || r.rulename
FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
WHERE c.relnamespace = 'stepledger'::regnamespace AND r.rulename <> '_RETURN'
UNION ALL
SELECT 'trigger off', c.relname || '.' || t.tgname
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = 'stepledger'::regnamespace AND t.tgenabled NOT IN ('O', 'A')
UNION ALL
SELECT 'open', c.relname
FROM pg_class c
WHERE c.relnamespace = 'stepledger'::regnamespace AND c.relkind IN ('r', 'p')
  AND c.relname <> ALL (ARRAY['alert_threads', 'chain_starts', 'content_sections',
                              'destinations', 'judgements', 'locks', 'outbox', 'queue',
                              'queue_files', 'schedules', 'schema_migrations', 'workers'])
  AND (SELECT count(DISTINCT t.tgname) FROM pg_trigger t
       WHERE t.tgrelid = c.oid
         AND t.tgname IN ('ledger_refuse_row', 'ledger_refuse_statement')) < 2
UNION ALL
SELECT DISTINCT 'grant', lower(x.privilege_type) || ' on ' || x.name || ' to '
       || CASE x.grantee WHEN 0 THEN 'public' ELSE pg_get_userbyid(x.grantee)::text END
FROM (
    SELECT c.oid, c.relname::text AS name, c.relowner, a.grantee, a.privilege_type
    FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) AS a
    WHERE c.relnamespace = 'stepledger'::regnamespace
    UNION ALL
    SELECT c.oid, c.relname || '.' || t.attname, c.relowner, a.grantee, a.privilege_type
    FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid
    CROSS JOIN LATERAL aclexplode(t.attacl) AS a
    WHERE c.relnamespace = 'stepledger'::regnamespace
      AND (a.privilege_type = 'UPDATE'
           OR t.attname IN ('recorded_at', 'recorded_by', 'recorded_on'))
) AS x
WHERE x.grantee <> x.relowner
  AND (x.privilege_type IN ('UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER')
       OR (x.privilege_type = 'INSERT' AND x.name <> 'origins'
           AND EXISTS (SELECT FROM pg_attribute t
                       WHERE t.attrelid = x.oid AND NOT t.attisdropped
                         AND t.attname IN ('recorded_at', 'recorded_by', 'recorded_on'))))
  AND EXISTS (SELECT FROM pg_trigger t
              WHERE t.tgrelid = x.oid AND t.tgname = 'ledger_refuse_row')
UNION ALL
SELECT 'setting', coalesce(r.rolname, 'every role')
FROM pg_db_role_setting s LEFT JOIN pg_roles r ON r.oid = s.setrole
WHERE array_to_string(s.setconfig, ' ') LIKE '%session_replication_role%'
  AND s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
UNION ALL
SELECT 'owner', c.relname
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'stepledger' AND c.relowner <> n.nspowner
UNION ALL
SELECT 'owner', p.proname
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = 'stepledger' AND p.proowner <> n.nspowner
ORDER BY 1, 2;
