-- Canonical content of profiles: the compiled programs (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: profile_id bigint, ordinal integer, name text, fingerprint text, run_count bigint
SELECT profile_id, ordinal, name, fingerprint, run_count FROM profile_programs
WHERE profile_id BETWEEN $1 AND $2 ORDER BY profile_id, ordinal;
