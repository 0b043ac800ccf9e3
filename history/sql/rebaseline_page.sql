-- Re-baselines behind an id; each belongs to the series of the profile behind which it begins.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint, after_profile_id bigint, reason text
SELECT id, after_profile_id, reason FROM rebaselines
WHERE id > $1 AND after_profile_id > 0 ORDER BY id LIMIT $2;
