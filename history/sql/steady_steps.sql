-- How long the steady steps of profiles took, in the order of the ids; the slowest device of each
-- counts. Profiles whose month is in an archive have none.
-- Parameters: $1 ids bigint[]
-- Result: place bigint, us float8
SELECT i.place, s.max_ps::float8 / 1000000
FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
JOIN profiles p ON p.id = i.id
JOIN profile_steps s ON s.profile_id = p.id AND s.recorded_on = p.recorded_on
WHERE NOT s.warmup AND s.max_ps > 0
ORDER BY i.place, s.number;
