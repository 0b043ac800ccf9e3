-- The runs of a branch that are no baseline for their names alone: another profile of the branch,
-- which is excluded, bears the name. Newest first, with the newest such profile.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 series_id bigint,
--     $5 excluded bigint[], $6 since_id bigint, $7 with_since boolean, $8 until_id bigint,
--     $9 with_until boolean
-- Result: id bigint, run text
WITH excluded AS MATERIALIZED (
    SELECT x.run, max(x.id) AS id
    FROM present_profiles x
    WHERE x.id = ANY ($5::bigint[])
      AND x.series_id IN (SELECT s.id FROM projects j JOIN series s ON s.project_id = j.id
                          WHERE j.name = $1 AND s.workload = $2)
      AND x.id IN (SELECT n.profile_id FROM present_names n
                   WHERE n.kind = 'branch' AND n.name = $3 AND n.profile_id = ANY ($5::bigint[]))
    GROUP BY x.run
),
since AS MATERIALIZED (SELECT * FROM run_order_at($6::bigint, 'infinity')),
until AS MATERIALIZED (SELECT * FROM run_order_at($8::bigint, 'infinity')),
alike AS MATERIALIZED (
    SELECT p.id, o.ran_at, p.place, p.run
    FROM present_profiles p
    CROSS JOIN LATERAL (SELECT p.ran_at OFFSET 0) o
    WHERE ($4::bigint IS NULL OR p.series_id = $4)
      AND p.series_id IN (SELECT s.id FROM projects j JOIN series s ON s.project_id = j.id
                          WHERE j.name = $1 AND s.workload = $2)
      AND p.retracted_at IS NULL AND p.superseded_by IS NULL
      AND ($6::bigint IS NULL
           OR (o.ran_at, p.place) > (SELECT s.ran_at, s.place FROM since s)
           OR ($7 AND (o.ran_at, p.place) = (SELECT s.ran_at, s.place FROM since s)))
      AND ($8::bigint IS NULL
           OR (o.ran_at, p.place) < (SELECT u.ran_at, u.place FROM until u)
           OR ($9 AND (o.ran_at, p.place) = (SELECT u.ran_at, u.place FROM until u)))
      AND p.run = ANY (ARRAY(SELECT run FROM excluded))
      AND p.id <> ALL ($5::bigint[])
)
SELECT x.id, a.run
FROM alike a JOIN excluded x ON x.run = a.run
WHERE a.id IN (SELECT n.profile_id FROM present_names n
               WHERE n.kind = 'branch' AND n.name = $3
                 AND n.profile_id = ANY (ARRAY(SELECT id FROM alike)))
GROUP BY x.id, a.run ORDER BY max(a.ran_at) DESC, max(a.place) DESC;
