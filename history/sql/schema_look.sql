-- What in the schema could make rows read or written otherwise than the ledger's own statements
-- mean: each thing with its kind, its name and, of a function, the text of its body (NULL: it is an
-- expression).
-- Parameters: none
-- Result: kind text, name text, body text
SELECT 'row security'::text AS kind, c.relname::text AS name, NULL::text AS body
FROM pg_class c
WHERE c.relnamespace = 'stepledger'::regnamespace AND (c.relrowsecurity OR c.relforcerowsecurity)
UNION ALL
SELECT 'policy', c.relname || '.' || p.polname, NULL
FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
WHERE c.relnamespace = 'stepledger'::regnamespace
UNION ALL
SELECT 'rule', c.relname || '.' || r.rulename, NULL
FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
WHERE c.relnamespace = 'stepledger'::regnamespace AND r.rulename <> '_RETURN'
UNION ALL
SELECT 'trigger off', c.relname || '.' || t.tgname, NULL
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = 'stepledger'::regnamespace AND t.tgenabled NOT IN ('O', 'A')
UNION ALL
SELECT 'trigger', t.tgname, NULL
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = 'stepledger'::regnamespace AND NOT t.tgisinternal
GROUP BY t.tgname
UNION ALL
SELECT 'open', c.relname, NULL
FROM pg_class c
WHERE c.relnamespace = 'stepledger'::regnamespace AND c.relkind IN ('r', 'p')
  AND c.relname <> ALL (ARRAY['alert_threads', 'chain_starts', 'content_sections',
                              'destinations', 'judgements', 'locks', 'outbox', 'queue',
                              'queue_files', 'schedules', 'schema_migrations', 'silences',
                              'workers'])
  AND (SELECT count(DISTINCT t.tgname) FROM pg_trigger t
       WHERE t.tgrelid = c.oid
         AND t.tgname IN ('ledger_refuse_row', 'ledger_refuse_statement')) < 2
UNION ALL
SELECT 'setting', coalesce(r.rolname, 'every role'), NULL
FROM pg_db_role_setting s LEFT JOIN pg_roles r ON r.oid = s.setrole
WHERE array_to_string(s.setconfig, ' ') LIKE '%session_replication_role%'
  AND s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
UNION ALL
SELECT 'function', p.proname, CASE WHEN p.prosqlbody IS NULL THEN p.prosrc END
FROM pg_proc p WHERE p.pronamespace = 'stepledger'::regnamespace
ORDER BY 1, 2;
