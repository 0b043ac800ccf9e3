-- Makes a new session safe: our schema only, UTC, and an end to everything that waits. A client
-- that dies is noticed while its statement runs; a server that would acknowledge commits before
-- they are durable is told not to.
-- Parameters: none
-- Result: name text, value text
SELECT s.name, pg_catalog.set_config(s.name, s.value, false)
FROM (VALUES
    ('search_path', 'stepledger, pg_temp'),
    ('TimeZone', 'UTC'),
    ('statement_timeout', '300s'),
    ('lock_timeout', '60s'),
    ('idle_in_transaction_session_timeout', '300s'),
    ('client_connection_check_interval', '10s'),
    ('synchronous_commit',
     CASE pg_catalog.current_setting('synchronous_commit') WHEN 'off' THEN 'on'
          ELSE pg_catalog.current_setting('synchronous_commit') END)
) AS s (name, value);
