-- The provenance of profiles, in the order of the ids, and the hosts that they ran on.
-- Parameters: $1 ids bigint[]
-- Result: place bigint, is_host boolean, profile_id bigint, name text, value text, source text,
--     ordinal integer
SELECT i.place, r.is_host, i.id, r.name, r.value, r.source, r.ordinal
FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
JOIN LATERAL (
    SELECT false AS is_host, f.name, f.value, f.source, NULL::integer AS ordinal
    FROM profile_facts f
    WHERE f.profile_id = i.id
    UNION ALL
    SELECT true, h.name, NULL, NULL, h.ordinal FROM profile_hosts h WHERE h.profile_id = i.id
    ) r ON true
ORDER BY i.place, r.is_host, r.ordinal, r.name COLLATE "C";
