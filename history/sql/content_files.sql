-- Canonical content of profiles: the input files (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: profile_id bigint, ordinal integer, path text, host text, sha256 bytea,
--     size_bytes bigint
SELECT profile_id, ordinal, path, host, sha256, size_bytes FROM profile_files
WHERE profile_id BETWEEN $1 AND $2 ORDER BY profile_id, ordinal;
