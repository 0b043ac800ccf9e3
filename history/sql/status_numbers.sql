-- The database and what happened last in it: name, server version, size, lag of the farthest
-- replica (bytes), the last profile and verdict (ms ago), profiles of the last five minutes,
-- tasks of the schedule that failed the last time, when all and what is new was last verified (ms
-- ago), and whether that found things. No age is negative, whatever the clock was.
-- Parameters: none
-- Result: database text, server text, size_bytes bigint, replica_lag_bytes bigint,
-- profile_id bigint, profile_ms bigint, verdict_id bigint, verdict_ms bigint,
-- recent_profiles bigint, failed_tasks text, verified_all_ms bigint, verified_new_ms bigint,
-- all_found boolean, new_found boolean
SELECT current_database()::text, current_setting('server_version'),
       pg_database_size(current_database()),
       (SELECT max(pg_wal_lsn_diff(pg_current_wal_lsn(), r.replay_lsn))::bigint
        FROM pg_stat_replication r WHERE NOT pg_is_in_recovery()),
       p.id,
       CASE WHEN p.recorded_at > now() THEN 0
            ELSE (extract(epoch FROM now() - p.recorded_at) * 1000)::bigint END,
       v.id,
       CASE WHEN v.recorded_at > now() THEN 0
            ELSE (extract(epoch FROM now() - v.recorded_at) * 1000)::bigint END,
       (SELECT count(*) FROM profiles r
        WHERE r.id > p.id - 100000 AND r.recorded_at
              BETWEEN now() - interval '5 minutes' AND now() + interval '5 minutes'),
       (SELECT string_agg(s.name || ': ' || s.failure, '; ' ORDER BY s.name) FROM schedules s
        WHERE s.failure IS NOT NULL),
       (SELECT CASE WHEN s.ended_at > now() THEN 0
                    ELSE (extract(epoch FROM now() - s.ended_at) * 1000)::bigint END
        FROM schedules s WHERE s.name = 'verify_all'),
       (SELECT CASE WHEN s.ended_at > now() THEN 0
                    ELSE (extract(epoch FROM now() - s.ended_at) * 1000)::bigint END
        FROM schedules s WHERE s.name = 'verify'),
       EXISTS (SELECT FROM schedules s
               WHERE s.name = 'verify_all' AND s.failure LIKE 'verifying found %'),
       EXISTS (SELECT FROM schedules s
               WHERE s.name = 'verify' AND s.failure LIKE 'verifying found %')
FROM (VALUES (1)) AS one (row)
LEFT JOIN LATERAL (SELECT id, recorded_at FROM profiles ORDER BY id DESC LIMIT 1) AS p ON true
LEFT JOIN LATERAL (SELECT id, recorded_at FROM verdicts ORDER BY id DESC LIMIT 1) AS v ON true;
