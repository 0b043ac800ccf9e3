-- What an event of a profile belongs to: the series that it was recorded in, and its run as it is
-- now.
-- Parameters: $1 profile_id bigint
-- Result: series_id bigint, run text
SELECT p.recorded_series_id, p.run FROM present_profiles p WHERE p.id = $1;
