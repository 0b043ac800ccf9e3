-- Where the baseline of a series begins.
-- Parameters: $1 series_id bigint
-- Result: id bigint, after_profile_id bigint
SELECT r.id, r.after_profile_id FROM rebaselines r WHERE r.series_id = $1
ORDER BY r.id DESC LIMIT 1;
