-- The profiles of the last runs of a workload on a branch, newest run first, or of those next to
-- another profile, the nearest first, as many before it as behind it where both are there: those
-- that count now.
-- Runs stand in the order in which they were captured (0330), each reading of known bytes in the
-- place of the first one. Before an entry only words about branches count that were said before it,
-- with which the profile was recorded, or of an earlier reading; amendments always do. With an
-- excluded profile go the others of its run: those of its name on the same branch, since two
-- branches may call runs of theirs alike.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 series_id bigint,
--     $5 run_limit bigint, $6 before_id bigint, $7 excluded bigint[],
--     $8 since_id bigint, $9 with_since boolean, $10 until_id bigint, $11 with_until boolean,
--     $12 near_id bigint
-- Result: id bigint, run text, archived boolean, is_behind boolean
WITH scope AS MATERIALIZED (
    SELECT array_agg(s.id) AS series
    FROM projects j JOIN series s ON s.project_id = j.id AND s.workload = $2
    WHERE j.name = $1 AND ($4::bigint IS NULL OR s.id = $4)
),
excluded AS MATERIALIZED (
    SELECT coalesce(array_agg(x.run), '{}') AS runs
    FROM present_profiles x
    WHERE x.id = ANY ($7::bigint[])
      AND x.series_id IN (SELECT s.id FROM projects j JOIN series s ON s.project_id = j.id
                          WHERE j.name = $1 AND s.workload = $2)
      AND ($3::text IS NULL OR x.id IN (
          SELECT n.profile_id FROM present_names n
          WHERE n.kind = 'branch' AND n.name = $3 AND n.profile_id = ANY ($7::bigint[])))
),
before AS MATERIALIZED (SELECT * FROM run_order_at($6::bigint, 'infinity')),
since AS MATERIALIZED (SELECT * FROM run_order_at($8::bigint, 'infinity')),
until AS MATERIALIZED (SELECT * FROM run_order_at($10::bigint, 'infinity')),
near AS MATERIALIZED (SELECT * FROM run_order_at($12::bigint, 'infinity')),
scoped AS MATERIALIZED (
    SELECT p.id, o.ran_at, p.place, p.run, p.recorded_on
    FROM present_profiles p
    CROSS JOIN LATERAL (SELECT p.ran_at OFFSET 0) o
    WHERE p.series_id = ANY ((SELECT series FROM scope)::bigint[])
      AND p.retracted_at IS NULL AND p.superseded_by IS NULL
      AND ($6::bigint IS NULL
           OR (o.ran_at, p.place) < (SELECT b.ran_at, b.place FROM before b))
      AND ($8::bigint IS NULL
           OR (o.ran_at, p.place) > (SELECT s.ran_at, s.place FROM since s)
           OR ($9 AND (o.ran_at, p.place) = (SELECT s.ran_at, s.place FROM since s)))
      AND ($10::bigint IS NULL
           OR (o.ran_at, p.place) < (SELECT u.ran_at, u.place FROM until u)
           OR ($11 AND (o.ran_at, p.place) = (SELECT u.ran_at, u.place FROM until u)))
      AND p.id <> ALL ($7::bigint[])
      AND p.run <> ALL ((SELECT runs FROM excluded)::text[])
),
members AS (
    SELECT p.id, p.ran_at, p.place, p.run, p.recorded_on
    FROM scoped p
    WHERE $3::text IS NULL OR p.id IN (
        SELECT n.profile_id FROM present_names n
        WHERE n.kind = 'branch' AND n.name = $3
          AND n.profile_id = ANY (ARRAY(SELECT id FROM scoped))
          AND ($6::bigint IS NULL OR p.place < p.id
               OR n.since_event_id
                  <= (SELECT min(e.id) FROM profile_events e WHERE e.profile_id = p.id)
               OR n.since_event_id
                  < (SELECT min(b.id) FROM profile_events b WHERE b.profile_id = $6)))
),
runs AS (
    SELECT DISTINCT ON (run) run, ran_at, place FROM members
    ORDER BY run, ran_at DESC, place DESC
),
sides AS (
    SELECT r.run, r.ran_at, r.place, coalesce((r.ran_at, r.place)
           > (SELECT n.ran_at, n.place FROM near n), false) AS is_behind
    FROM runs r
),
nearest AS (
    SELECT s.run, s.is_behind, row_number() OVER (
               PARTITION BY s.is_behind
               ORDER BY CASE WHEN s.is_behind THEN s.ran_at END,
                        CASE WHEN s.is_behind THEN s.place END,
                        s.ran_at DESC, s.place DESC) AS nth
    FROM sides s
    ORDER BY nth, s.is_behind LIMIT $5
)
SELECT m.id, m.run, ledger_month_archive(m.recorded_on) IS NOT NULL, r.is_behind
FROM nearest r
JOIN members m ON m.run = r.run
ORDER BY r.nth, r.is_behind, m.ran_at DESC, m.place DESC;
