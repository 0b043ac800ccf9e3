-- What sets profiles apart, as one word: those of equal words have all of the named facts in
-- common. In the order of the ids.
-- Parameters: $1 ids bigint[], $2 names text[]
-- Result: place bigint, kind text
SELECT i.place,
       md5(concat_ws(E'\n', h.breakdown_mode, s.definition_version, f.facts))
FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
JOIN profiles h ON h.id = i.id
JOIN series s ON s.id = h.series_id
LEFT JOIN LATERAL (
    SELECT string_agg(concat(p.name, '=', p.value), E'\n' ORDER BY p.name COLLATE "C") AS facts
    FROM profile_facts p
    WHERE p.profile_id = i.id AND p.name = ANY ($2::text[])) f ON true
ORDER BY i.place;
