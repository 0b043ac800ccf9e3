-- Which of these profiles no verdict judged as candidates, newest first; one that compared nothing
-- judged none.
-- Parameters: $1 ids bigint[]
-- Result: id bigint
SELECT t.id
FROM unnest($1::bigint[]) AS t (id)
WHERE NOT EXISTS (SELECT FROM verdict_inputs i JOIN verdicts v ON v.id = i.verdict_id
                  WHERE i.profile_id = t.id AND i.side = 'candidate'
                    AND v.status <> 'incomparable')
ORDER BY t.id DESC;
