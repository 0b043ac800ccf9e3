-- The archive in which the contents of a profile are now; no row while they are in the ledger.
-- Parameters: $1 profile_id bigint
-- Result: id bigint, month text, file_name text, file_sha256 bytea, file_bytes bigint,
--     profile_count bigint, row_count bigint, recorded_at timestamptz
SELECT a.id, to_char(a.month::timestamp, 'YYYY-MM'), a.file_name, a.file_sha256, a.file_bytes,
       a.profile_count, a.row_count, a.recorded_at
FROM profiles p JOIN archives a ON a.id = ledger_month_archive(p.recorded_on) WHERE p.id = $1;
