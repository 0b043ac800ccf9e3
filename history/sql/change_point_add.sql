-- A change point, in the series of the profile at which the new level begins.
-- Parameters: $1 at_profile_id bigint, $2 measure integer, $3 status text, $4 before_value float8,
--     $5 after_value float8, $6 method text, $7 evidence text
-- Result: id bigint, chain text
INSERT INTO change_points (series_id, measure, at_profile_id, status, before_value, after_value,
                           method, evidence)
SELECT p.series_id, $2, p.id, $3, $4, $5, $6, $7 FROM present_profiles p WHERE p.id = $1
RETURNING id, 's' || series_id;
