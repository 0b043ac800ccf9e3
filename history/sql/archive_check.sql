-- Where a month is, for a file that says it holds it; no row while it is in the ledger.
-- Parameters: $1 month text
-- Result: id bigint, file_sha256 bytea, profile_count bigint
SELECT a.id, a.file_sha256, a.profile_count
FROM archives a WHERE a.id = ledger_month_archive(to_date($1::text, 'YYYY-MM'));
