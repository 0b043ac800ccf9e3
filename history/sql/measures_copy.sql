-- The tracked measures of a profile.
-- Parameters: none
-- Copies: profile_id bigint, series_id bigint, measure integer, value float8
COPY measures (profile_id, series_id, measure, value) FROM STDIN (FORMAT binary);
