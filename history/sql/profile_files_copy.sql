-- The input files of a profile.
-- Parameters: none
-- Copies: profile_id bigint, ordinal integer, path text, host text, sha256 bytea,
--     size_bytes bigint
COPY profile_files (profile_id, ordinal, path, host, sha256, size_bytes)
FROM STDIN (FORMAT binary);
