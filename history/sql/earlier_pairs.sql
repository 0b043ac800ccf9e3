-- The pairs of runs that verdicts on these candidates judged in turns, as each was asked for: the
-- i-th run of one side beside the i-th of the other. Whole pairs of profiles that count now and are
-- not in an archive; verdicts that compared nothing have none.
-- Parameters: $1 ids bigint[]
-- Result: verdict_id bigint, pair bigint, is_candidate boolean, profile_id bigint
WITH tried AS MATERIALIZED (
    SELECT DISTINCT v.id FROM verdict_inputs i JOIN verdicts v ON v.id = i.verdict_id
    WHERE i.side = 'candidate' AND i.profile_id = ANY ($1::bigint[])
      AND v.status <> 'incomparable' AND v.document::json ->> 'paired' = 'true'
),
named AS (
    SELECT t.id AS verdict_id, s.side, substr(n.profile ->> 'profile_id', 2)::bigint AS profile_id,
           coalesce(n.profile ->> 'run', n.profile ->> 'profile_id') AS run, n.place
    FROM tried t JOIN verdict_requests r ON r.verdict_id = t.id
    CROSS JOIN (VALUES ('baseline'), ('candidate')) AS s (side)
    CROSS JOIN LATERAL json_array_elements(
        r.document::json #> ARRAY[s.side, 'profiles']) WITH ORDINALITY AS n (profile, place)
),
placed AS (
    SELECT n.*, min(n.place) OVER (PARTITION BY n.verdict_id, n.side, n.run) AS run_place
    FROM named n
),
paired AS (
    SELECT q.*, dense_rank() OVER (PARTITION BY q.verdict_id, q.side ORDER BY q.run_place) AS pair
    FROM placed q
),
whole AS (
    SELECT q.*,
           bool_and(p.id IS NOT NULL) OVER (PARTITION BY q.verdict_id, q.pair) AS is_whole
    FROM paired q
    LEFT JOIN present_profiles p
        ON p.id = q.profile_id AND p.retracted_at IS NULL AND p.superseded_by IS NULL
        AND ledger_month_archive(p.recorded_on) IS NULL
)
SELECT w.verdict_id, w.pair, w.side = 'candidate' AS is_candidate, w.profile_id
FROM whole w WHERE w.is_whole
ORDER BY w.verdict_id, w.pair, is_candidate, w.place;
