-- Canonical content of profiles: the tracked measures (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: profile_id bigint, series_id bigint, measure integer, value float8
SELECT profile_id, series_id, measure, value FROM measures
WHERE profile_id BETWEEN $1 AND $2 ORDER BY profile_id, measure;
