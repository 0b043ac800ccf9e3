-- How often exactly this was said of a place in a series.
-- Parameters: $1 at_profile_id bigint, $2 measure integer, $3 status text, $4 before_value float8,
--     $5 after_value float8, $6 method text
-- Result: count bigint
SELECT count(*) FROM change_points
WHERE at_profile_id = $1 AND measure = $2 AND status = $3 AND before_value = $4
  AND after_value = $5 AND method = $6;
