-- The newest level of a series: the last place in it whose newest row is `confirmed`.
-- Parameters: $1 series_id bigint, $2 measure bigint, $3 before_profile_id bigint
-- Result: id bigint, series_id bigint, measure integer, at_profile_id bigint, status text,
--     before_value float8, after_value float8, method text, evidence text
SELECT c.id, c.series_id, c.measure, c.at_profile_id, c.status, c.before_value, c.after_value,
       c.method, c.evidence
FROM change_points c
WHERE c.series_id = $1
  AND ($2::bigint IS NULL OR c.measure = $2)
  AND ($3::bigint IS NULL OR c.at_profile_id < $3)
  AND c.status = 'confirmed'
  AND NOT EXISTS (
      SELECT FROM change_points n
      WHERE n.series_id = c.series_id AND n.measure = c.measure
        AND n.at_profile_id = c.at_profile_id AND n.id > c.id)
ORDER BY c.at_profile_id DESC, c.id DESC LIMIT 1;
