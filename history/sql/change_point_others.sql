-- The last words about places of a series, behind a profile, that begin no level: candidates, and
-- what was withdrawn.
-- Parameters: $1 series_id bigint, $2 measure bigint, $3 before_profile_id bigint,
--     $4 after_profile_id bigint
-- Result: id bigint
SELECT c.id
FROM change_points c
WHERE c.series_id = $1 AND c.measure = $2::bigint AND c.status <> 'confirmed'
  AND ($3::bigint IS NULL OR c.at_profile_id < $3) AND c.at_profile_id > $4
  AND NOT EXISTS (
      SELECT FROM change_points n
      WHERE n.series_id = c.series_id AND n.measure = c.measure
        AND n.at_profile_id = c.at_profile_id AND n.id > c.id)
ORDER BY c.id;
