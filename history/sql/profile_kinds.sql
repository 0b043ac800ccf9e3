-- What sets profiles apart, as one word: those of equal words have all of the named facts in
-- common, and did the same work. Work is told by the operations of a step; where these are not
-- among the facts, by the ops, which name their shapes, and how often a step runs each. In the
-- order of the ids. (Facts and ops meet by grouping: of a join the planner knows no numbers, and
-- takes the ops of all profiles for each.)
-- Parameters: $1 ids bigint[], $2 names text[], $3 flops_name text, $4 steady_steps integer
-- Result: place bigint, kind text
WITH told AS MATERIALIZED (
    SELECT i.place, h.id, h.series_id, h.recorded_on, h.breakdown_mode, f.facts,
           coalesce(f.tells_flops, false) AS tells_flops
    FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
    JOIN profiles h ON h.id = i.id
    LEFT JOIN LATERAL (
        SELECT string_agg(concat(p.name, '=', p.value), E'\n' ORDER BY p.name COLLATE "C") AS facts,
               bool_or(p.name = $3) AS tells_flops
        FROM profile_facts p
        WHERE p.profile_id = i.id AND p.name = ANY ($2::text[])) f ON true
),
ops AS MATERIALIZED (
    SELECT profile_id, recorded_on, signature_id, sum(steady_count)::float8 AS runs
    FROM op_rows
    WHERE profile_id = ANY (ARRAY(SELECT id FROM told WHERE NOT tells_flops))
      AND recorded_on BETWEEN (SELECT min(recorded_on) FROM told WHERE NOT tells_flops)
          AND (SELECT max(recorded_on) FROM told WHERE NOT tells_flops)
      AND NOT asynchronous AND steady_self_ps > 0 AND steady_count > 0
    GROUP BY profile_id, recorded_on, signature_id
),
work AS (
    SELECT t.place,
           string_agg(concat(o.signature_id, round(100 * ln(o.runs / m.value))), E'\n'
                      ORDER BY o.signature_id) AS ops
    FROM told t
    JOIN ops o ON o.profile_id = t.id AND o.recorded_on = t.recorded_on
    JOIN measures m ON m.profile_id = t.id AND m.series_id = t.series_id AND m.measure = $4
        AND measure_usual(m.value) > 0
    GROUP BY t.place
)
SELECT p.place, md5(concat_ws(E'\n', max(p.mode), max(p.version), max(p.facts), max(p.ops)))
FROM (SELECT t.place, t.breakdown_mode AS mode, s.definition_version::text AS version, t.facts,
             NULL AS ops
      FROM told t JOIN series s ON s.id = t.series_id
      UNION ALL
      SELECT w.place, NULL, NULL, NULL, w.ops FROM work w) AS p
GROUP BY p.place
ORDER BY p.place;
