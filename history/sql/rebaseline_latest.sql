-- Where the baseline of a series begins, as people say: the newest word that does not cut off a
-- profile.
-- Parameters: $1 series_id bigint, $2 profile_id bigint
-- Result: id bigint, after_profile_id bigint
WITH kept AS MATERIALIZED (SELECT * FROM run_order_at($2::bigint, 'infinity'))
SELECT r.id, r.after_profile_id
FROM rebaselines r
LEFT JOIN LATERAL run_order_at(r.after_profile_id, 'infinity') o ON true
WHERE r.series_id = $1
  AND ($2::bigint IS NULL OR r.after_profile_id = 0
       OR (o.ran_at, o.place) < (SELECT k.ran_at, k.place FROM kept k))
ORDER BY r.id DESC LIMIT 1;
