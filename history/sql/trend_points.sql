-- The last runs of a workload with one measure and the newest verdict on each, oldest first (in the
-- order in which they were captured, as their newest profiles stand): of the profiles that count
-- now. Measures stand under the series in which a profile was recorded. Times that are asked for
-- are those of the order. What was said of runs at as_of_us or later (verdicts, re-baselines,
-- change points) is left out, and corrections and runs of corrected_us or later, and profiles and
-- change points that the caller leaves out. Beside each value stands that of another measure of the
-- same profiles, where they tell it.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 measure integer,
--     $5 series_id bigint, $6 run_limit bigint, $7 since_us bigint, $8 until_us bigint,
--     $9 as_of_us bigint, $10 corrected_us bigint, $11 left_out bigint[],
--     $12 unsound bigint[], $13 beside integer
-- Result: id bigint, run text, series_id bigint, recorded_at timestamptz, value float8,
--     branch text, commit_sha text, verdict_id bigint, status text, acceptance_id bigint,
--     rebaseline_id bigint, change_point_id bigint, archived boolean, profile_ids bigint[],
--     ran_at timestamptz, is_captured boolean, place bigint, beside float8
WITH asked AS MATERIALIZED (
    SELECT coalesce(to_timestamp($9::bigint / 1000000.0), 'infinity') AS as_of,
           coalesce(to_timestamp($10::bigint / 1000000.0), 'infinity') AS corrected
),
scope AS MATERIALIZED (
    SELECT array_agg(s.id) AS series
    FROM projects j JOIN series s ON s.project_id = j.id AND s.workload = $2
    WHERE j.name = $1 AND ($5::bigint IS NULL OR s.id = $5)
),
recorded AS MATERIALIZED (
    SELECT array_agg(r.id) AS series
    FROM (SELECT unnest(series) AS id FROM scope
          UNION
          SELECT p.series_id FROM amendments a JOIN profiles p ON p.id = a.profile_id
          WHERE a.series_id = ANY ((SELECT series FROM scope)::bigint[])) AS r
),
scoped AS MATERIALIZED (
    SELECT p.id, o.ran_at, p.place, p.run, p.series_id, p.recorded_at, p.recorded_on, p.branch,
           p.commit_sha, m.value, b.value AS beside
    FROM profiles_at(coalesce(to_timestamp($10::bigint / 1000000.0), 'infinity')) p
    JOIN measures m ON m.series_id = p.recorded_series_id AND m.measure = $4
        AND m.profile_id = p.id
        AND m.series_id = ANY ((SELECT series FROM recorded)::bigint[])
    LEFT JOIN measures b ON b.series_id = p.recorded_series_id AND b.measure = $13
        AND b.profile_id = p.id
        AND b.series_id = ANY ((SELECT series FROM recorded)::bigint[])
    CROSS JOIN LATERAL (SELECT p.ran_at OFFSET 0) o
    WHERE p.recorded_series_id = ANY ((SELECT series FROM recorded)::bigint[])
      AND p.series_id = ANY ((SELECT series FROM scope)::bigint[])
      AND NOT p.retracted AND p.superseded_by IS NULL AND p.id <> ALL ($11::bigint[])
      AND ($7::bigint IS NULL OR extract(epoch FROM o.ran_at) * 1000000 >= $7)
      AND ($8::bigint IS NULL OR extract(epoch FROM o.ran_at) * 1000000 < $8)
      AND ($10::bigint IS NULL OR extract(epoch FROM p.recorded_at) * 1000000 < $10)
),
members AS (
    SELECT p.* FROM scoped p
    WHERE $3::text IS NULL OR p.id IN (
        SELECT n.profile_id
        FROM branches_at(coalesce(to_timestamp($10::bigint / 1000000.0), 'infinity')) n
        WHERE n.name = $3 AND n.profile_id = ANY (ARRAY(SELECT id FROM scoped)))
),
runs AS ( -- the newest profile first: sorted once, not in each array again
    SELECT run, series_id, max(ran_at) AS ran_at, (array_agg(place))[1] AS place,
           (array_agg(id))[1] AS newest, (array_agg(branch))[1] AS branch,
           (array_agg(commit_sha))[1] AS commit_sha, (array_agg(recorded_on))[1] AS recorded_on,
           (array_agg(ran_at < recorded_at))[1] AS is_captured,
           max(recorded_at) AS recorded_at,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS value,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY beside) AS beside,
           array_agg(id ORDER BY id) AS ids
    FROM (SELECT * FROM members ORDER BY run, series_id, ran_at DESC, place DESC) AS m
    GROUP BY run, series_id ORDER BY ran_at DESC, place DESC LIMIT $6
),
anew AS MATERIALIZED ( -- and what stands behind each of them
    SELECT b.id, b.series_id, b.after_profile_id, w.ran_at, w.place
    FROM asked t
    JOIN rebaselines b ON b.series_id = ANY ((SELECT series FROM scope)::bigint[])
    LEFT JOIN origins o ON o.kind = 'rebaseline' AND o.subject_id = b.id
    LEFT JOIN LATERAL run_order_at(b.after_profile_id, t.corrected) w ON true
    WHERE coalesce(o.recorded_at, b.recorded_at) < t.as_of
),
levels AS MATERIALIZED ( -- the last word about each place, where it begins one
    SELECT c.id, c.series_id, w.ran_at, w.place
    FROM (SELECT DISTINCT ON (c.series_id, c.at_profile_id)
                 c.id, c.series_id, c.at_profile_id, c.status, t.corrected
          FROM asked t
          JOIN change_points c ON c.series_id = ANY ((SELECT series FROM scope)::bigint[])
              AND c.measure = $4
          LEFT JOIN origins o ON o.kind = 'change_point' AND o.subject_id = c.id
          WHERE coalesce(o.recorded_at, c.recorded_at) < t.as_of AND c.id <> ALL ($12::bigint[])
          ORDER BY c.series_id, c.at_profile_id, c.id DESC) c
    CROSS JOIN LATERAL run_order_at(c.at_profile_id, c.corrected) w
    WHERE c.status = 'confirmed'
),
gone AS MATERIALIZED ( -- months that are in archives
    SELECT month FROM archives GROUP BY month HAVING ledger_month_archive(month) IS NOT NULL
)
SELECT r.newest, r.run, r.series_id, r.recorded_at, r.value, r.branch, r.commit_sha,
       v.id, v.status,
       (SELECT max(a.id) FROM acceptances a
        LEFT JOIN origins o ON o.kind = 'acceptance' AND o.subject_id = a.id
        WHERE a.verdict_id = v.id AND coalesce(o.recorded_at, a.recorded_at) < t.as_of),
       (SELECT b.id FROM anew b
        WHERE b.series_id = r.series_id
          AND (b.after_profile_id = 0 OR (b.ran_at, b.place) < (r.ran_at, r.place))
        ORDER BY b.id DESC LIMIT 1),
       (SELECT l.id FROM levels l
        WHERE l.series_id = r.series_id AND (l.ran_at, l.place) <= (r.ran_at, r.place)
        ORDER BY l.ran_at DESC, l.place DESC LIMIT 1),
       date_trunc('month', r.recorded_on::timestamp)::date IN (SELECT month FROM gone),
       r.ids, r.ran_at, r.is_captured, r.place, r.beside
FROM runs r
CROSS JOIN asked t
LEFT JOIN LATERAL (
    SELECT w.id, w.status FROM verdict_inputs i JOIN verdicts w ON w.id = i.verdict_id
    LEFT JOIN origins o ON o.kind = 'verdict' AND o.subject_id = w.id
    WHERE i.profile_id = r.newest AND i.side = 'candidate'
      AND coalesce(o.recorded_at, w.recorded_at) < t.as_of
    ORDER BY w.id DESC LIMIT 1) v ON true
ORDER BY r.ran_at, r.place;
