-- How often a series was begun anew behind a profile in these words, and which series that is.
-- Parameters: $1 after_profile_id bigint, $2 reason text
-- Result: count bigint, series text
SELECT (SELECT count(*) FROM rebaselines r WHERE r.after_profile_id = p.id AND r.reason = $2),
       's' || p.series_id
FROM present_profiles p WHERE p.id = $1;
