-- Canonical content of profiles: the provenance, in the byte order of names (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: profile_id bigint, name text, value text, source text
SELECT profile_id, name, value, source FROM profile_facts
WHERE profile_id BETWEEN $1 AND $2 ORDER BY profile_id, name COLLATE "C";
