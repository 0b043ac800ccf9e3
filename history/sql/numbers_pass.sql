-- Lets the next row of a table ("series", "profiles", "verdicts", "reports") have this number,
-- where the numbers before it are free.
-- Parameters: $1 table_name text, $2 number bigint
-- Result: passed bigint
SELECT count(*) FROM numbers_pass($1, $2);
