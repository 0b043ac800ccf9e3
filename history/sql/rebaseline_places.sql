-- Behind which profiles a series was begun anew, in the order in which that was said; 0: from its
-- first run on.
-- Parameters: $1 series_id bigint
-- Result: after_profile_id bigint
SELECT r.after_profile_id FROM rebaselines r WHERE r.series_id = $1 ORDER BY r.id;
