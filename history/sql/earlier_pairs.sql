-- The pairs of runs that are known of these candidates: the rounds in which `interleave` took them
-- in (verdict_id 0), and those that verdicts judged in turns, as each was asked for: the i-th run
-- of one side beside the i-th of the other. Whole pairs of profiles that count now and are not in
-- an archive; verdicts that compared nothing have none.
-- Parameters: $1 ids bigint[]
-- Result: verdict_id bigint, pair bigint, is_candidate boolean, profile_id bigint
WITH turns AS MATERIALIZED (
    SELECT p.id, s.project_id, s.workload, n.value AS name, r.value AS round, t.value AS turn,
           d.value AS seed
    FROM profiles p
    JOIN series s ON s.id = p.series_id
    JOIN profile_facts n ON n.profile_id = p.id AND n.name = 'interleave'
        AND n.source = 'interleave'
    JOIN profile_facts r ON r.profile_id = p.id AND r.name = 'interleave_round'
    JOIN profile_facts t ON t.profile_id = p.id AND t.name = 'interleave_turn'
    JOIN profile_facts d ON d.profile_id = p.id AND d.name = 'interleave_seed'
    WHERE p.id = ANY ($1::bigint[])
),
partners AS MATERIALIZED (
    SELECT t.id AS candidate_id, p.id AS baseline_id, t.name, t.seed, t.round
    FROM turns t
    JOIN present_names l ON l.kind = 'label' AND l.name = t.name
    JOIN profiles p ON p.id = l.profile_id
    JOIN series s ON s.id = p.series_id AND s.project_id = t.project_id
        AND s.workload = t.workload
    JOIN profile_facts r ON r.profile_id = p.id AND r.name = 'interleave_round'
        AND r.value = t.round
    JOIN profile_facts o ON o.profile_id = p.id AND o.name = 'interleave_turn'
        AND o.value <> t.turn
    JOIN profile_facts d ON d.profile_id = p.id AND d.name = 'interleave_seed'
        AND d.value = t.seed
    WHERE p.id <> ALL ($1::bigint[])
),
rounds AS (
    SELECT DISTINCT dense_rank() OVER (ORDER BY q.name, q.seed, q.round) AS pair, s.side,
           CASE s.side WHEN 'candidate' THEN q.candidate_id ELSE q.baseline_id END AS profile_id
    FROM partners q CROSS JOIN (VALUES ('baseline'), ('candidate')) AS s (side)
),
judged AS MATERIALIZED ( -- documents of others are not looked into
    SELECT DISTINCT i.verdict_id FROM verdict_inputs i
    WHERE i.side = 'candidate' AND i.profile_id = ANY ($1::bigint[])
),
tried AS MATERIALIZED (
    SELECT q.verdict_id AS id,
           (SELECT document_json(r.document) FROM verdict_requests r
            WHERE r.verdict_id = q.verdict_id) AS request
    FROM judged q
    WHERE (SELECT CASE WHEN v.status <> 'incomparable' AND v.document LIKE '%"paired"%'
                       THEN document_json(v.document) ->> 'paired' = 'true' END
           FROM verdicts v WHERE v.id = q.verdict_id)
),
named AS (
    SELECT t.id AS verdict_id, s.side,
           CASE WHEN n.profile ->> 'profile_id' ~ '^p[0-9]{1,18}$'
                THEN substr(n.profile ->> 'profile_id', 2)::bigint END AS profile_id,
           coalesce(n.profile ->> 'run', n.profile ->> 'profile_id') AS run, n.place
    FROM tried t
    CROSS JOIN (VALUES ('baseline'), ('candidate')) AS s (side)
    CROSS JOIN LATERAL (SELECT t.request #> ARRAY[s.side, 'profiles'] AS profiles) l
    CROSS JOIN LATERAL json_array_elements(
        CASE WHEN json_typeof(l.profiles) = 'array' THEN l.profiles END)
        WITH ORDINALITY AS n (profile, place)
),
placed AS (
    SELECT n.*, min(n.place) OVER (PARTITION BY n.verdict_id, n.side, n.run) AS run_place
    FROM named n
),
paired AS (
    SELECT q.verdict_id, q.side, q.profile_id, q.place,
           dense_rank() OVER (PARTITION BY q.verdict_id, q.side ORDER BY q.run_place) AS pair
    FROM placed q
    UNION ALL
    SELECT 0, r.side, r.profile_id, r.profile_id, r.pair FROM rounds r
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
