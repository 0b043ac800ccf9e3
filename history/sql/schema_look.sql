-- What in the schema could make rows read or written otherwise than the ledger's own statements
-- mean: each thing with its kind and its name. What functions, views and triggers are is in
-- schema_shape. A grant: to change rows, or to say oneself what the server says of them (when,
-- by whom); `origins` tells of other ledgers, as who imports it says. foreign: what would be taken
-- for what PostgreSQL has of that name. A member: who has a worker's rights, and more than that.
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
                              'queue_files', 'schedules', 'schema_migrations', 'tree_grown',
                              'workers'])
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
  AND x.oid = ANY (ARRAY(SELECT t.tgrelid FROM pg_trigger t WHERE t.tgname = 'ledger_refuse_row'))
UNION ALL
SELECT DISTINCT 'grant', lower(a.privilege_type) || ' on ' || x.name || ' to '
       || CASE a.grantee WHEN 0 THEN 'public' ELSE a.grantee::regrole::text END
FROM (SELECT c.relname::text AS name, c.relacl AS acl FROM pg_class c
      WHERE c.relnamespace = 'stepledger'::regnamespace AND c.relkind IN ('r', 'p', 'v')
      UNION ALL
      SELECT c.relname || '.' || t.attname, t.attacl
      FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid
      WHERE c.relnamespace = 'stepledger'::regnamespace) AS x
CROSS JOIN LATERAL aclexplode(x.acl) AS a
WHERE a.privilege_type IN ('UPDATE', 'DELETE', 'TRUNCATE')
  AND (a.grantee = 0 OR a.grantee = (SELECT oid FROM pg_roles WHERE rolname = 'stepledger_read'))
UNION ALL
SELECT 'grant', 'execute on ' || p.proname || ' to public'
FROM pg_proc p
CROSS JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
WHERE p.pronamespace = 'stepledger'::regnamespace AND p.prosecdef AND a.grantee = 0
  AND p.prorettype <> 'trigger'::regtype
UNION ALL
SELECT 'grant', 'update on ' || c.relname || ' to ' || a.grantee::regrole
FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) AS a
WHERE c.relnamespace = 'stepledger'::regnamespace AND c.relkind = 'S'
  AND a.privilege_type = 'UPDATE' AND a.grantee <> c.relowner
UNION ALL
SELECT 'grant', 'create in the schema to '
       || CASE a.grantee WHEN 0 THEN 'public' ELSE pg_get_userbyid(a.grantee)::text END
FROM pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) AS a
WHERE n.nspname = 'stepledger' AND a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner
UNION ALL
SELECT 'grant', 'set ' || p.parname || ' to ' || a.grantee::regrole
FROM pg_parameter_acl p CROSS JOIN LATERAL aclexplode(p.paracl) AS a
JOIN pg_roles r ON r.oid = a.grantee AND NOT r.rolsuper
WHERE p.parname = 'session_replication_role'
UNION ALL
SELECT 'setting', split_part(one.setting, '=', 1) || ' of ' || coalesce(r.rolname, 'every role')
FROM pg_db_role_setting s LEFT JOIN pg_roles r ON r.oid = s.setrole
CROSS JOIN LATERAL unnest(s.setconfig) AS one (setting)
WHERE (split_part(one.setting, '=', 1)
       = ANY (ARRAY['default_transaction_read_only', 'session_replication_role', 'role',
                    'session_authorization', 'row_security', 'session_preload_libraries',
                    'local_preload_libraries', 'dynamic_library_path', 'transform_null_equals',
                    'allow_system_table_mods', 'ignore_system_indexes', 'ignore_checksum_failure',
                    'zero_damaged_pages', 'plpgsql.variable_conflict'])
       OR r.rolname IN ('stepledger', 'stepledger_owner', 'stepledger_ingest',
                        'stepledger_compare', 'stepledger_alert', 'stepledger_read'))
  AND s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
UNION ALL
SELECT 'member', m.rolname || ' of ' || g.rolname
FROM pg_auth_members a
JOIN pg_roles m ON m.oid = a.member AND NOT m.rolsuper
JOIN pg_roles g ON g.oid = a.roleid
WHERE m.rolname IN ('stepledger_owner', 'stepledger_ingest', 'stepledger_compare',
                    'stepledger_alert', 'stepledger_read')
   OR (m.rolname = 'stepledger'
       AND g.rolname NOT IN ('stepledger_ingest', 'stepledger_compare', 'stepledger_alert',
                             'stepledger_read'))
   OR (EXISTS (SELECT FROM pg_auth_members w JOIN pg_roles k ON k.oid = w.roleid
               WHERE w.member = m.oid
                 AND k.rolname IN ('stepledger_ingest', 'stepledger_compare', 'stepledger_alert'))
       AND (g.rolname IN ('stepledger', 'stepledger_owner', 'pg_write_all_data',
                          'pg_execute_server_program', 'pg_write_server_files',
                          'pg_read_server_files')
            OR g.oid = (SELECT nspowner FROM pg_namespace WHERE nspname = 'stepledger'))
       AND m.rolname <> 'stepledger')
UNION ALL
SELECT 'power', r.rolname
FROM pg_roles r
WHERE r.rolname IN ('stepledger', 'stepledger_ingest', 'stepledger_compare', 'stepledger_alert',
                    'stepledger_read')
  AND (r.rolsuper OR r.rolcreaterole OR r.rolbypassrls OR r.rolreplication)
UNION ALL
SELECT 'foreign', o.oprname || '(' || o.oprleft::regtype || ', ' || o.oprright::regtype || ')'
FROM pg_operator o JOIN pg_namespace n ON n.oid = o.oprnamespace
WHERE (n.nspname = 'stepledger' OR (n.nspname = 'pg_catalog' AND o.oid >= 16384))
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = o.oid AND d.deptype = 'e')
UNION ALL
SELECT 'foreign', 'function ' || p.proname
FROM pg_proc p
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.oid >= 16384
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
UNION ALL
SELECT 'foreign', 'function ' || p.oid::regprocedure
FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.oid < 16384
  AND (l.lanname NOT IN ('internal', 'c', 'sql')
       OR p.proowner <> (SELECT proowner FROM pg_proc WHERE oid = 'pg_catalog.int4in'::regproc)
       OR EXISTS (SELECT FROM (VALUES ('now', 'now'), ('transaction_timestamp', 'now'),
                                      ('clock_timestamp', 'clock_timestamp'),
                                      ('statement_timestamp', 'statement_timestamp'),
                                      ('sha256', 'sha256_bytea'), ('int2send', 'int2send'),
                                      ('int4send', 'int4send'), ('int8send', 'int8send'),
                                      ('timestamptz_send', 'timestamptz_send'),
                                      ('textsend', 'textsend'), ('float8send', 'float8send'),
                                      ('convert_to', 'pg_convert_to'), ('byteaeq', 'byteaeq'),
                                      ('byteane', 'byteane'), ('int8eq', 'int8eq'),
                                      ('int8ne', 'int8ne'), ('texteq', 'texteq'),
                                      ('pg_has_role', 'pg_has_role_%'),
                                      ('pg_current_xact_id', 'pg_current_xact_id'),
                                      ('current_setting', 'show_config_by_name%'))
                  AS own (name, symbol)
                  WHERE own.name = p.proname
                    AND (l.lanname <> 'internal' OR p.prosrc NOT LIKE own.symbol)))
UNION ALL
SELECT 'foreign', CASE c.relkind WHEN 'f' THEN 'foreign table ' ELSE 'part of a table: ' END
       || c.oid::regclass
FROM pg_class c
WHERE (c.relkind = 'f' AND c.relnamespace = 'stepledger'::regnamespace)
   OR EXISTS (SELECT FROM pg_inherits h JOIN pg_class t ON t.oid = h.inhparent
              WHERE h.inhrelid = c.oid AND t.relnamespace = 'stepledger'::regnamespace
                AND (c.relnamespace <> t.relnamespace OR c.relkind NOT IN ('r', 'i', 'I')))
UNION ALL
SELECT 'foreign', 'cast from ' || c.castsource::regtype || ' to ' || c.casttarget::regtype
FROM pg_cast c
WHERE c.oid >= 16384
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  AND NOT EXISTS (SELECT FROM pg_type t WHERE t.oid IN (c.castsource, c.casttarget)
                  AND t.oid >= 16384)
UNION ALL
SELECT 'foreign', 'type ' || t.typname
FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
WHERE t.typnamespace = 'stepledger'::regnamespace AND t.typelem = 0
  AND coalesce(c.relkind, 'c') = 'c'
UNION ALL
SELECT 'foreign', 'collation ' || l.collname
FROM pg_collation l WHERE l.collnamespace = 'stepledger'::regnamespace
UNION ALL
SELECT 'month index', k.relname
FROM pg_inherits h
JOIN pg_index i ON i.indexrelid = h.inhrelid
JOIN pg_index o ON o.indexrelid = h.inhparent
JOIN pg_class k ON k.oid = i.indexrelid AND k.relnamespace = 'stepledger'::regnamespace
WHERE NOT (i.indisvalid AND i.indisready AND i.indislive)
   OR (i.indisunique, i.indisprimary, i.indimmediate)
      <> (o.indisunique, o.indisprimary, o.indimmediate)
UNION ALL
SELECT 'counter', c.relname
FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid
WHERE c.relnamespace = 'stepledger'::regnamespace
  AND (s.seqincrement <> 1 OR s.seqstart <> 1 OR s.seqmin <> 1 OR s.seqcycle
       OR s.seqmax <> 9223372036854775807)
UNION ALL
SELECT 'owner', c.relname
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'stepledger' AND c.relowner <> n.nspowner
UNION ALL
SELECT 'owner', p.proname
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = 'stepledger' AND p.proowner <> n.nspowner
ORDER BY 1, 2;
