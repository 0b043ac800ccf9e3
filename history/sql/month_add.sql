-- Makes the partitions of a month that was detached.
-- Parameters: $1 month text
-- Result: none
CALL ledger_month_add(to_date($1::text, 'YYYY-MM'));
