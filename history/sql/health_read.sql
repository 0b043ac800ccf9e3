-- What a person asks of the database first: version, settings, roles, replicas, the age of chains.
-- What this role may not see is NULL; no age is negative, whatever the clock was.
-- Parameters: none
-- Result: server_version text, fsync text, synchronous_commit text, full_page_writes text,
--     wal_compression text, data_checksums text, is_replica boolean, replay_lag_ms bigint,
--     replica_lag_bytes bigint, database_bytes bigint, missing_roles text,
--     disabled_triggers text, may_change_ledger boolean, entry_count bigint,
--     last_profile_ms bigint, last_checkpoint_ms bigint, first_profile_ms bigint,
--     owner_makes_roles boolean, bare_roles text, verified_all_ms bigint, verified_found text
SELECT current_setting('server_version'), current_setting('fsync'),
       current_setting('synchronous_commit'), current_setting('full_page_writes'),
       current_setting('wal_compression'), current_setting('data_checksums'),
       pg_is_in_recovery(),
       CASE WHEN pg_is_in_recovery()
            THEN (extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000
                 )::bigint END,
       CASE WHEN NOT pg_is_in_recovery()
            THEN (SELECT max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::bigint
                  FROM pg_stat_replication) END,
       pg_database_size(current_database()),
       (SELECT string_agg(r.name, ', ' ORDER BY r.name)
        FROM unnest(ARRAY['stepledger_owner', 'stepledger_ingest', 'stepledger_compare',
                          'stepledger_alert', 'stepledger_read']) AS r (name)
        WHERE NOT EXISTS (SELECT FROM pg_roles p WHERE p.rolname = r.name)),
       (SELECT string_agg(t.tgrelid::regclass::text, ', ')
        FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        WHERE c.relnamespace = 'stepledger'::regnamespace
          AND t.tgname IN ('ledger_refuse_row', 'ledger_refuse_statement')
          AND t.tgenabled NOT IN ('O', 'A')),
       has_table_privilege('entries', 'DELETE') OR has_table_privilege('entries', 'UPDATE'),
       (SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = 'entries'::regclass),
       (SELECT (extract(epoch FROM clock_timestamp()
                                   - max(least(p.recorded_at, clock_timestamp()))) * 1000)::bigint
        FROM (SELECT recorded_at FROM profiles ORDER BY id DESC LIMIT 1) AS p),
       (SELECT (extract(epoch FROM clock_timestamp()
                                   - least(c.recorded_at, clock_timestamp())) * 1000)::bigint
        FROM checkpoints c ORDER BY c.id DESC LIMIT 1),
       (SELECT (extract(epoch FROM clock_timestamp()
                                   - max(least(p.recorded_at, clock_timestamp()))) * 1000)::bigint
        FROM (SELECT recorded_at FROM profiles ORDER BY id LIMIT 1) AS p),
       EXISTS (SELECT FROM pg_roles WHERE rolname = 'stepledger_owner' AND rolcreaterole),
       (SELECT string_agg(r.rolname, ', ' ORDER BY r.rolname)
        FROM (VALUES ('stepledger_ingest', 'profiles', 'INSERT'),
                     ('stepledger_compare', 'verdicts', 'INSERT'),
                     ('stepledger_alert', 'deliveries', 'INSERT'),
                     ('stepledger_read', 'profiles', 'SELECT')) AS w (name, table_name, right_name)
        JOIN pg_roles r ON r.rolname = w.name
        WHERE NOT has_any_column_privilege(r.oid, w.table_name, w.right_name)),
       (SELECT (extract(epoch FROM clock_timestamp()
                                   - least(s.ended_at, clock_timestamp())) * 1000)::bigint
        FROM schedules s WHERE s.name = 'verify_all'),
       (SELECT string_agg(s.failure, '; ' ORDER BY s.name) FROM schedules s
        WHERE s.name IN ('verify', 'verify_all') AND s.failure LIKE 'verifying found %');
