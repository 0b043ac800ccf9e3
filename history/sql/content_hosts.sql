-- Canonical content of profiles: the hosts (history/chain/canonical.h).
-- Parameters: none
-- Copies: profile_id bigint, ordinal integer, name text
COPY (
SELECT profile_id, ordinal, name FROM profile_hosts
WHERE profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY profile_id, ordinal
) TO STDOUT (FORMAT binary);
