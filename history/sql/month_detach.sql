-- Detaches the partitions of a month; they stay under their names with a suffix.
-- Parameters: $1 month text, $2 suffix text
-- Result: detached bigint
SELECT count(*) FROM ledger_month_detach(to_date($1::text, 'YYYY-MM'), $2::text);
