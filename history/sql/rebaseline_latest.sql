-- Where the baseline of a series begins, as people say: the newest word that does not cut off a
-- profile.
-- Parameters: $1 series_id bigint, $2 profile_id bigint
-- Result: id bigint, after_profile_id bigint
SELECT r.id, r.after_profile_id FROM rebaselines r
WHERE r.series_id = $1 AND ($2::bigint IS NULL OR r.after_profile_id < $2)
ORDER BY r.id DESC LIMIT 1;
