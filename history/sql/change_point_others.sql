-- The last words about places of a series, behind a profile and up to another, that begin no level:
-- candidates, and what was withdrawn.
-- Parameters: $1 series_id bigint, $2 measure bigint, $3 until_profile_id bigint,
--     $4 after_profile_id bigint
-- Result: id bigint
WITH until AS MATERIALIZED (SELECT * FROM run_order_at($3::bigint, 'infinity')),
after AS MATERIALIZED (SELECT * FROM run_order_at($4::bigint, 'infinity'))
SELECT c.id
FROM change_points c
CROSS JOIN LATERAL run_order_at(c.at_profile_id, 'infinity') o
WHERE c.series_id = $1 AND c.measure = $2::bigint AND c.status <> 'confirmed'
  AND ($3::bigint IS NULL OR (o.ran_at, o.place) <= (SELECT u.ran_at, u.place FROM until u))
  AND ($4::bigint IS NULL OR (o.ran_at, o.place) > (SELECT a.ran_at, a.place FROM after a))
  AND NOT EXISTS (
      SELECT FROM change_points n
      WHERE n.series_id = c.series_id AND n.measure = c.measure
        AND n.at_profile_id = c.at_profile_id AND n.id > c.id)
ORDER BY c.id;
