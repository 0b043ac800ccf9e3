-- The provenance of profiles, in the order of the ids, and the hosts that they ran on; of one that
-- tells more than most_bytes, row_bytes of them for being a row, there is one row alone, without a
-- name.
-- Parameters: $1 ids bigint[], $2 most_bytes bigint, $3 row_bytes bigint
-- Result: place bigint, is_host boolean, profile_id bigint, name text, value text, source text,
--     ordinal integer
WITH wanted AS MATERIALIZED (
    SELECT i.place, i.id,
           (SELECT coalesce(sum(octet_length(f.name) + octet_length(f.value)
                                + coalesce(octet_length(f.source), 0)), 0)
                   + count(*) * $3::bigint
            FROM profile_facts f WHERE f.profile_id = i.id)
           + (SELECT coalesce(sum(octet_length(h.name)), 0) + count(*) * $3::bigint
              FROM profile_hosts h WHERE h.profile_id = i.id) AS bytes
    FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
)
SELECT i.place, r.is_host, i.id, r.name, r.value, r.source, r.ordinal
FROM wanted i
JOIN LATERAL (
    SELECT false AS is_host, f.name, f.value, f.source, NULL::integer AS ordinal
    FROM profile_facts f
    WHERE f.profile_id = i.id AND i.bytes <= $2
    UNION ALL
    SELECT true, h.name, NULL, NULL, h.ordinal FROM profile_hosts h
    WHERE h.profile_id = i.id AND i.bytes <= $2
    UNION ALL
    SELECT false, NULL, NULL, NULL, NULL WHERE i.bytes > $2
    ) r ON true
ORDER BY i.place, r.is_host, r.ordinal, r.name COLLATE "C";
