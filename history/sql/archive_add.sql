-- What became of a month, under its reserved number.
-- Parameters: $1 id bigint, $2 month text, $3 action text, $4 file_name text,
--     $5 file_sha256 bytea, $6 file_bytes bigint, $7 profile_count bigint, $8 row_count bigint
-- Result: none
INSERT INTO archives (id, month, action, file_name, file_sha256, file_bytes, profile_count,
                      row_count)
OVERRIDING SYSTEM VALUE
VALUES ($1, to_date($2::text, 'YYYY-MM'), $3, $4, $5, $6, $7, $8);
