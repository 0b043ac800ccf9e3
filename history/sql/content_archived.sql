-- Canonical content of archives: the hashes of what went (history/chain/canonical.h).
-- Parameters: none
-- Copies: archive_id bigint, profile_id bigint, section text, row_count bigint, sha256 bytea
COPY (
SELECT archive_id, profile_id, section, row_count, sha256
FROM archived_sections
WHERE archive_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY archive_id, profile_id, section
) TO STDOUT (FORMAT binary);
