-- Which of these profiles ran in turns with a baseline: `interleave` took them in, or a verdict
-- judged them as candidates in pairs.
-- Plan: once
-- Parameters: $1 ids bigint[]
-- Result: id bigint
WITH judged AS MATERIALIZED ( -- documents of others are not looked into
    SELECT i.profile_id, i.verdict_id FROM verdict_inputs i
    WHERE i.profile_id = ANY ($1::bigint[]) AND i.side = 'candidate'
)
SELECT t.id
FROM unnest($1::bigint[]) AS t (id)
WHERE EXISTS (SELECT FROM profile_facts f
              WHERE f.profile_id = t.id AND f.name = 'interleave' AND f.source = 'interleave')
   OR EXISTS (SELECT FROM judged q
              WHERE q.profile_id = t.id
                AND (SELECT CASE WHEN v.document LIKE '%"paired"%' -- few do: the rest is not parsed
                                 THEN document_json(v.document) ->> 'paired' = 'true' END
                     FROM verdicts v WHERE v.id = q.verdict_id))
ORDER BY t.id;
