-- The newest level of a series: the last place in the order of its runs whose newest row is
-- `confirmed`, of those up to a profile and behind another.
-- Parameters: $1 series_id bigint, $2 measure bigint, $3 until_profile_id bigint,
--     $4 after_profile_id bigint
-- Result: id bigint, series_id bigint, measure integer, at_profile_id bigint, status text,
--     before_value float8, after_value float8, method text, evidence text
WITH until AS MATERIALIZED (SELECT * FROM run_order_at($3::bigint, 'infinity')),
after AS MATERIALIZED (SELECT * FROM run_order_at($4::bigint, 'infinity'))
SELECT c.id, c.series_id, c.measure, c.at_profile_id, c.status, c.before_value, c.after_value,
       c.method, c.evidence
FROM change_points c
CROSS JOIN LATERAL run_order_at(c.at_profile_id, 'infinity') o
WHERE c.series_id = $1
  AND ($2::bigint IS NULL OR c.measure = $2)
  AND ($3::bigint IS NULL OR (o.ran_at, o.place) <= (SELECT u.ran_at, u.place FROM until u))
  AND ($4::bigint IS NULL OR (o.ran_at, o.place) > (SELECT a.ran_at, a.place FROM after a))
  AND c.status = 'confirmed'
  AND NOT EXISTS (
      SELECT FROM change_points n
      WHERE n.series_id = c.series_id AND n.measure = c.measure
        AND n.at_profile_id = c.at_profile_id AND n.id > c.id)
ORDER BY o.ran_at DESC, o.place DESC, c.id DESC LIMIT 1;
