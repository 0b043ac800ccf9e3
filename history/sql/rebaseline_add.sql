-- Starts the baseline of a series anew behind its newest run, or behind a given profile of its own;
-- 0: with its first run.
-- Parameters: $1 series_id bigint, $2 after_profile_id bigint, $3 reason text
-- Result: id bigint, after_profile_id bigint, chain text
INSERT INTO rebaselines (series_id, after_profile_id, reason)
SELECT s.id,
       coalesce($2, (SELECT p.id FROM present_profiles p WHERE p.series_id = $1
                     ORDER BY p.ran_at DESC, p.place DESC, p.id DESC LIMIT 1), 0),
       $3
FROM series s
WHERE s.id = $1
  AND ($2::bigint IS NULL OR $2 = 0
       OR EXISTS (SELECT FROM present_profiles p WHERE p.id = $2 AND p.series_id = $1))
RETURNING id, after_profile_id, 's' || series_id;
