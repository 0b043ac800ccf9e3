-- What sets profiles apart, as one word: those of equal words have all of the named facts in
-- common, and did the same work. Work is told by the operations of a step; where these are not
-- among the facts, by the ops, which name their shapes, and how often a step runs each. In the
-- order of the ids.
-- Parameters: $1 ids bigint[], $2 names text[], $3 flops_name text, $4 steady_steps integer
-- Result: place bigint, kind text
SELECT i.place,
       md5(concat_ws(E'\n', h.breakdown_mode, s.definition_version, f.facts, w.ops))
FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
JOIN profiles h ON h.id = i.id
JOIN series s ON s.id = h.series_id
LEFT JOIN LATERAL (
    SELECT string_agg(concat(p.name, '=', p.value), E'\n' ORDER BY p.name COLLATE "C") AS facts,
           bool_or(p.name = $3) AS tells_flops
    FROM profile_facts p
    WHERE p.profile_id = i.id AND p.name = ANY ($2::text[])) f ON true
LEFT JOIN LATERAL (
    SELECT string_agg(concat(o.signature_id, round(100 * ln(o.runs / m.value))), E'\n'
                      ORDER BY o.signature_id) AS ops
    FROM measures m,
         (SELECT r.signature_id, sum(r.steady_count)::float8 AS runs
          FROM op_rows r
          WHERE r.profile_id = i.id AND r.recorded_on = h.recorded_on
            AND NOT r.asynchronous AND r.steady_self_ps > 0 AND r.steady_count > 0
          GROUP BY r.signature_id) o
    WHERE m.profile_id = i.id AND m.series_id = h.series_id AND m.measure = $4 AND m.value > 0) w
    ON NOT coalesce(f.tells_flops, false)
ORDER BY i.place;
