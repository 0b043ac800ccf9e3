-- The months that are in files now.
-- Parameters: none
-- Result: id bigint, month text, file_name text, file_sha256 bytea, file_bytes bigint,
--     profile_count bigint, row_count bigint, recorded_at timestamptz
SELECT a.id, to_char(a.month::timestamp, 'YYYY-MM'), a.file_name, a.file_sha256, a.file_bytes,
       a.profile_count, a.row_count, a.recorded_at
FROM archives a WHERE a.id = ledger_month_archive(a.month) ORDER BY a.month;
