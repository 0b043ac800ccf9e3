-- Canonical content of profiles: the hosts (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: profile_id bigint, ordinal integer, name text
SELECT profile_id, ordinal, name FROM profile_hosts
WHERE profile_id BETWEEN $1 AND $2 ORDER BY profile_id, ordinal;
