-- Change points behind an id, as they were appended.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint, series_id bigint, measure integer, at_profile_id bigint, status text,
--     before_value float8, after_value float8, method text, evidence text
SELECT id, series_id, measure, at_profile_id, status, before_value, after_value, method, evidence
FROM change_points WHERE id > $1 ORDER BY id LIMIT $2;
