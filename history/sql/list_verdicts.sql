-- Verdicts, newest first; branch, commit and run are those of the candidate when it was judged; of
-- one that pools runs of several branches, all of these. The estimate is that of the median step:
-- the reason says by what the status was made.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 commit text, $5 run text,
--     $6 status text, $7 since_us bigint, $8 row_limit bigint
-- Result: verdict text, status text, reason text, project text, workload text, branch text,
--     commit text, run text, change_pct float8, profiles bigint, retracted boolean,
--     recorded_at_utc timestamptz
WITH page AS MATERIALIZED (
    SELECT v.id FROM verdicts v JOIN projects j ON j.id = v.project_id
    WHERE ($1::text IS NULL OR j.name = $1) AND ($2::text IS NULL OR v.workload = $2)
      AND ($6::text IS NULL OR v.status = $6)
      AND ($7::bigint IS NULL OR extract(epoch FROM v.recorded_at) * 1000000 >= $7)
      AND ($3::text IS NULL OR v.id IN (
          SELECT i.verdict_id FROM verdict_inputs i
          WHERE i.side = 'candidate' AND i.profile_id IN (
              SELECT n.profile_id FROM present_names n
              WHERE n.kind = 'branch' AND n.name = $3)))
      AND ($4::text IS NULL OR v.id IN (
          SELECT i.verdict_id FROM verdict_inputs i
          WHERE i.side = 'candidate' AND i.profile_id IN (
              SELECT n.profile_id FROM present_names n
              WHERE n.kind = 'commit' AND n.name >= $4 AND n.name < $4 || '~')))
      AND ($5::text IS NULL OR v.id IN (
          SELECT i.verdict_id FROM verdict_inputs i
          WHERE i.side = 'candidate' AND i.profile_id IN (
              SELECT p.id FROM present_profiles p WHERE p.run = $5)))
    ORDER BY v.id DESC LIMIT $8
)
SELECT 'v' || v.id AS verdict, v.status, d.reason, j.name AS project, v.workload,
       coalesce(d.candidate #>> '{branch}', (
           SELECT string_agg(DISTINCT p.branch, ', ')
           FROM verdict_inputs i JOIN present_profiles p ON p.id = i.profile_id
           WHERE i.verdict_id = v.id AND i.side = 'candidate')) AS branch,
       d.candidate #>> '{commit}' AS commit,
       d.candidate #>> '{run_ids,0}' AS run, measure_usual(c.estimate_pct) AS change_pct,
       (SELECT count(*) FROM verdict_inputs i WHERE i.verdict_id = v.id) AS profiles,
       EXISTS (SELECT FROM verdict_inputs i
               WHERE i.verdict_id = v.id AND profile_retraction(i.profile_id) IS NOT NULL)
           AS retracted,
       coalesce(o.recorded_at, v.recorded_at) AS recorded_at_utc
FROM verdicts v
JOIN projects j ON j.id = v.project_id
CROSS JOIN LATERAL (SELECT document_json(v.document) AS document OFFSET 0) w
CROSS JOIN LATERAL (SELECT w.document #> '{candidate}' AS candidate,
                           w.document #>> '{reasons,0,code}' AS reason) d
LEFT JOIN comparisons c ON c.verdict_id = v.id AND c.ordinal = 0
LEFT JOIN origins o ON o.kind = 'verdict' AND o.subject_id = v.id
WHERE v.id = ANY (ARRAY(SELECT id FROM page))
ORDER BY v.id DESC;
