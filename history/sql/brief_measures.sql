-- The measures of profiles, in the order of the ids; of one that has more than most_rows, so many
-- and one more.
-- Parameters: $1 ids bigint[], $2 most_rows bigint
-- Result: place bigint, profile_id bigint, series_id bigint, measure integer, value float8
SELECT i.place, m.profile_id, m.series_id, m.measure, m.value
FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
JOIN LATERAL (SELECT m.profile_id, m.series_id, m.measure, m.value
              FROM measures m WHERE m.profile_id = i.id LIMIT $2::bigint + 1) m ON true
ORDER BY i.place, m.measure;
