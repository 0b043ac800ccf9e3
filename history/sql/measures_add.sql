-- The tracked measures of a profile, column by column.
-- Parameters: $1 profile_ids bigint[], $2 series_ids bigint[], $3 measures integer[],
--     $4 values float8[]
-- Result: none
INSERT INTO measures (profile_id, series_id, measure, value)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::float8[]);
