-- How often the series of a profile was begun anew behind a profile (0: with its first run) in
-- these words, and which series that is.
-- Parameters: $1 of_profile_id bigint, $2 reason text, $3 after_profile_id bigint
-- Result: count bigint, series text
SELECT (SELECT count(*) FROM rebaselines r
        WHERE r.after_profile_id = $3 AND r.reason = $2
          AND ($3::bigint > 0 OR r.series_id = p.series_id)),
       's' || p.series_id
FROM present_profiles p WHERE p.id = $1;
