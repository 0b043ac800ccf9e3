-- The hashes of what went into an archive.
-- Parameters: none
-- Copies: profile_id bigint, section text, archive_id bigint, row_count bigint, sha256 bytea
COPY archived_sections (profile_id, section, archive_id, row_count, sha256)
FROM STDIN (FORMAT binary);
