-- Where the level of a series ends in which a profile stands: the first place behind it where a
-- confirmed change point begins another, or a re-baseline of which the profile's own is no newer
-- word. A change point goes ahead of a re-baseline there: its run is of the level that it begins.
-- Parameters: $1 series_id bigint, $2 measure bigint, $3 profile_id bigint
-- Result: rebaseline_id bigint, change_point_id bigint, profile_id bigint
WITH held AS MATERIALIZED (SELECT * FROM run_order_at($3::bigint, 'infinity')),
anew AS MATERIALIZED (
    SELECT r.id, r.after_profile_id, o.ran_at, o.place,
           coalesce((o.ran_at, o.place) < (SELECT h.ran_at, h.place FROM held h), true) AS is_before
    FROM rebaselines r
    LEFT JOIN LATERAL run_order_at(r.after_profile_id, 'infinity') o ON true
    WHERE r.series_id = $1
)
SELECT e.rebaseline_id, e.change_point_id, e.profile_id
FROM (
    SELECT a.id AS rebaseline_id, 0::bigint AS change_point_id, a.after_profile_id AS profile_id,
           a.ran_at, a.place
    FROM anew a
    WHERE NOT a.is_before AND a.id > (SELECT coalesce(max(b.id), 0) FROM anew b WHERE b.is_before)
    UNION ALL
    SELECT 0, c.id, c.at_profile_id, o.ran_at, o.place
    FROM change_points c
    CROSS JOIN LATERAL run_order_at(c.at_profile_id, 'infinity') o
    WHERE c.series_id = $1 AND c.measure = $2::bigint AND c.status = 'confirmed'
      AND (o.ran_at, o.place) > (SELECT h.ran_at, h.place FROM held h)
      AND NOT EXISTS (
          SELECT FROM change_points n
          WHERE n.series_id = c.series_id AND n.measure = c.measure
            AND n.at_profile_id = c.at_profile_id AND n.id > c.id)) e
ORDER BY e.ran_at, e.place, e.change_point_id DESC LIMIT 1;
