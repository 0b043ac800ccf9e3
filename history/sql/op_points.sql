-- The time of ops per step and device in profiles, by their share in the time of all ops (measure
-- op_time); ops that never reach a share are left out, asynchronous ones too. By op, then in the
-- order of the ids; a profile without the op has no row. Profiles that do not tell the measure, and
-- those whose month is in an archive, have none at all.
-- Parameters: $1 ids bigint[], $2 op_time integer, $3 least_share float8
-- Result: signature text, name text, category text, place bigint, us float8
WITH wanted AS MATERIALIZED (
    SELECT i.place, p.id, p.recorded_on, m.value
    FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
    JOIN profiles p ON p.id = i.id
    JOIN measures m ON m.series_id = p.series_id AND m.measure = $2 AND m.profile_id = p.id
    WHERE measure_usual(m.value) IS NOT NULL
),
summed AS MATERIALIZED (
    SELECT w.place, o.signature_id, w.value,
           sum(o.steady_self_ps)::float8 AS ps,
           nullif(sum(sum(o.steady_self_ps)) OVER (PARTITION BY w.place), 0)::float8 AS all_ps
    FROM wanted w
    JOIN op_rows o ON o.profile_id = w.id AND o.recorded_on = w.recorded_on
    WHERE NOT o.asynchronous
    GROUP BY w.place, o.signature_id, w.value
),
large AS (
    SELECT signature_id FROM summed GROUP BY signature_id HAVING max(ps / all_ps) >= $3
)
SELECT g.signature, coalesce(g.example_name, g.signature), g.category, s.place,
       s.value * s.ps / s.all_ps
FROM large l
JOIN summed s ON s.signature_id = l.signature_id AND s.all_ps IS NOT NULL
JOIN op_signatures g ON g.id = l.signature_id
ORDER BY g.signature COLLATE "C", g.id, s.place;
