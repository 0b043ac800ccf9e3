-- Which of these profiles ran in turns with a baseline: `interleave` took them in, or a verdict
-- judged them as candidates in pairs.
-- Parameters: $1 ids bigint[]
-- Result: id bigint
SELECT t.id
FROM unnest($1::bigint[]) AS t (id)
WHERE EXISTS (SELECT FROM profile_facts f
              WHERE f.profile_id = t.id AND f.name = 'interleave' AND f.source = 'interleave')
   OR EXISTS (SELECT FROM verdict_inputs i JOIN verdicts v ON v.id = i.verdict_id
              WHERE i.profile_id = t.id AND i.side = 'candidate'
                AND v.document::json ->> 'paired' = 'true')
ORDER BY t.id;
