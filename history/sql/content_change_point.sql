-- Canonical content of change points (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, series_id bigint, measure integer, at_profile_id bigint, status text,
--     before_value float8, after_value float8, method text, evidence text,
--     recorded_at timestamptz, recorded_by text
COPY (
SELECT id, series_id, measure, at_profile_id, status, before_value, after_value, method, evidence,
       recorded_at, recorded_by
FROM change_points
WHERE id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY id
) TO STDOUT (FORMAT binary);
