-- Canonical content of profiles: the input files (history/chain/canonical.h).
-- Parameters: none
-- Copies: profile_id bigint, ordinal integer, path text, host text, sha256 bytea,
--     size_bytes bigint
COPY (
SELECT profile_id, ordinal, path, host, sha256, size_bytes FROM profile_files
WHERE profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY profile_id, ordinal
) TO STDOUT (FORMAT binary);
