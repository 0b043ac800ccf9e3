-- The first steps of profiles, in the order of the ids.
-- Parameters: $1 ids bigint[], $2 step_limit bigint
-- Result: place bigint, profile_id bigint, number bigint, warmup boolean, max_ps bigint,
--     mean_ps bigint, slowest_device integer, period_ps bigint, gap_before_ps bigint
SELECT n.place, n.profile_id, n.number, n.warmup, n.max_ps, n.mean_ps, n.slowest_device,
       n.period_ps, n.gap_before_ps
FROM (
    SELECT i.place, t.profile_id, t.number, t.warmup, t.max_ps, t.mean_ps, t.slowest_device,
           t.period_ps, t.gap_before_ps,
           row_number() OVER (PARTITION BY i.place ORDER BY t.number) AS nth
    FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
    JOIN profile_steps t ON t.profile_id = i.id) n
WHERE n.nth <= $2 ORDER BY n.place, n.number;
