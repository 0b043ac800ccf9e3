-- Logins that may open this database and are neither superusers nor its owner nor the ledger's own:
-- those with rights to fill the disk, or the server's memory, with what is no entry; those that may
-- take every connection; those whose sorts have no bound on the disk.
-- Parameters: none
-- Result: filling text, unlimited_connections text, unlimited_sorts text
WITH logins AS (
    SELECT r.oid, r.rolname, r.rolconnlimit
    FROM pg_roles r JOIN pg_database d ON d.datname = current_database()
    WHERE r.rolcanlogin AND NOT r.rolsuper AND r.oid <> d.datdba
      AND r.rolname NOT IN ('stepledger', 'stepledger_owner')
      AND has_database_privilege(r.oid, d.oid, 'CONNECT')
), functions AS (
    SELECT p.oid, CASE WHEN p.proname LIKE 'lo%' THEN 'large objects'
                       WHEN p.proname = 'pg_logical_emit_message' THEN 'messages in the WAL'
                       WHEN p.proname = 'pg_export_snapshot' THEN 'exported snapshots'
                       ELSE 'advisory locks' END AS what
    FROM pg_proc p
    WHERE p.pronamespace = 'pg_catalog'::regnamespace
      AND (p.proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'pg_logical_emit_message',
                         'pg_export_snapshot')
           OR p.proname ~ '^pg_(try_)?advisory_(xact_)?lock')
), rights AS (
    SELECT l.rolname, f.what FROM logins l, functions f
    WHERE has_function_privilege(l.oid, f.oid, 'EXECUTE')
    UNION
    SELECT l.rolname, 'temporary tables' FROM logins l
    WHERE has_database_privilege(l.oid, current_database(), 'TEMPORARY')
    UNION
    SELECT l.rolname, 'tables of its own' FROM logins l, pg_namespace n
    WHERE has_schema_privilege(l.oid, n.oid, 'CREATE')
    UNION
    SELECT l.rolname, 'tables of its own' FROM logins l
    WHERE has_database_privilege(l.oid, current_database(), 'CREATE')
)
SELECT (SELECT string_agg(o.said, '; ' ORDER BY o.said COLLATE "C")
        FROM (SELECT r.rolname || ': ' || string_agg(r.what, ', ' ORDER BY r.what) AS said
              FROM rights r GROUP BY r.rolname) AS o),
       (SELECT string_agg(l.rolname, ', ' ORDER BY l.rolname) FROM logins l
        WHERE l.rolconnlimit < 0),
       (SELECT string_agg(l.rolname, ', ' ORDER BY l.rolname) FROM logins l
        WHERE (SELECT g.reset_val = '-1' AND g.source NOT IN ('database user', 'user')
               FROM pg_settings g WHERE g.name = 'temp_file_limit')
          AND NOT EXISTS (
            SELECT FROM pg_db_role_setting s JOIN pg_database d ON d.datname = current_database(),
                        unnest(s.setconfig) AS c (text)
            WHERE s.setrole IN (l.oid, 0) AND s.setdatabase IN (d.oid, 0)
              AND c.text LIKE 'temp_file_limit=%' AND c.text <> 'temp_file_limit=-1'));
