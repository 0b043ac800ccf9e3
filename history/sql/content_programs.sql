-- Canonical content of profiles: the compiled programs (history/chain/canonical.h).
-- Parameters: none
-- Copies: profile_id bigint, ordinal integer, name text, fingerprint text, run_count bigint
COPY (
SELECT profile_id, ordinal, name, fingerprint, run_count FROM profile_programs
WHERE profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY profile_id, ordinal
) TO STDOUT (FORMAT binary);
