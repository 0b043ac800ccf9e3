-- Canonical content of profiles: the provenance, in the byte order of names
-- (history/chain/canonical.h).
-- Parameters: none
-- Copies: profile_id bigint, name text, value text, source text
COPY (
SELECT profile_id, name, value, source FROM profile_facts
WHERE profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY profile_id, name COLLATE "C"
) TO STDOUT (FORMAT binary);
