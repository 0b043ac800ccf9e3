-- The compiled programs that a profile ran.
-- Parameters: none
-- Copies: profile_id bigint, ordinal integer, name text, fingerprint text, run_count bigint
COPY profile_programs (profile_id, ordinal, name, fingerprint, run_count)
FROM STDIN (FORMAT binary);
