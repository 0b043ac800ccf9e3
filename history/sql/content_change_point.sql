-- Canonical content of change points (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: id bigint, series_id bigint, measure integer, at_profile_id bigint, status text,
--     before_value float8, after_value float8, method text, evidence text,
--     recorded_at timestamptz, recorded_by text
SELECT id, series_id, measure, at_profile_id, status, before_value, after_value, method, evidence,
       recorded_at, recorded_by
FROM change_points
WHERE id BETWEEN $1 AND $2 ORDER BY id;
