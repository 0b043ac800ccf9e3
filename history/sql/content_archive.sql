-- Canonical content of archives: what became of a month (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, month text, action text, file_name text, file_sha256 bytea,
--     file_bytes bigint, profile_count bigint, row_count bigint, recorded_at timestamptz,
--     recorded_by text
COPY (
SELECT id, to_char(month::timestamp, 'YYYY-MM'), action, file_name, file_sha256, file_bytes,
       profile_count, row_count, recorded_at, recorded_by
FROM archives
WHERE id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY id
) TO STDOUT (FORMAT binary);
