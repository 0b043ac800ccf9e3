-- A month before it goes: its bounds, whether it is over, where it is already, whether this role
-- may detach it.
-- Parameters: $1 month text
-- Result: is_over boolean, archive_id bigint, file_name text, is_owner boolean,
--     profile_count bigint, first_id bigint, last_id bigint
SELECT m.month < date_trunc('month', CURRENT_DATE)::date,
       a.id, a.file_name,
       (SELECT pg_has_role(c.relowner, 'USAGE') FROM pg_class c WHERE c.oid = 'op_rows'::regclass),
       count(p.id), min(p.id), max(p.id)
FROM (SELECT to_date($1::text, 'YYYY-MM') AS month) AS m
LEFT JOIN archives a ON a.id = ledger_month_archive(m.month)
LEFT JOIN profiles p ON p.recorded_on >= m.month
                    AND p.recorded_on < (m.month + interval '1 month')::date
GROUP BY m.month, a.id, a.file_name;
