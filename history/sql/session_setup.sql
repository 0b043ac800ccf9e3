-- Makes a new session safe: our schema only, UTC, and an end to everything that waits. A client
-- that dies is noticed while its statement runs; a server that would acknowledge commits before
-- they are durable is told not to. What a login has as a setting of its own does not count where it
-- says what statements mean, or whether they may write.
-- Parameters: none
-- Result: name text, value text
SELECT s.name, pg_catalog.set_config(s.name, s.value, false)
FROM (VALUES
    ('search_path', 'stepledger, pg_temp'),
    ('TimeZone', 'UTC'),
    ('default_transaction_read_only', 'off'),
    ('default_transaction_isolation', 'read committed'),
    ('default_transaction_deferrable', 'off'),
    ('row_security', 'on'),
    ('transform_null_equals', 'off'),
    ('standard_conforming_strings', 'on'),
    ('array_nulls', 'on'),
    ('DateStyle', 'ISO, MDY'),
    ('statement_timeout', '300s'),
    ('lock_timeout', '60s'),
    ('idle_in_transaction_session_timeout', '300s'),
    ('client_connection_check_interval', '10s'),
    ('synchronous_commit',
     CASE pg_catalog.current_setting('synchronous_commit') WHEN 'off' THEN 'on'
          ELSE pg_catalog.current_setting('synchronous_commit') END)
) AS s (name, value);
