-- The measures of profiles, in the order of the ids.
-- Parameters: $1 ids bigint[]
-- Result: place bigint, profile_id bigint, series_id bigint, measure integer, value float8
SELECT i.place, m.profile_id, m.series_id, m.measure, m.value
FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
JOIN measures m ON m.profile_id = i.id
ORDER BY i.place, m.measure;
