-- The verdicts that were made of some of these candidates and not of all of them, the first of each
-- set of candidates, oldest first; of other profiles of the change that stand apart as well. Those
-- that compared nothing do not count. A fail is one that stands: not one that the policy made of a
-- verdict that could not tell, nor one that rests on a profile that was retracted since. What runs
-- in turns showed says so, unless a later verdict judged all of them and more in pairs. Of
-- candidates in pairs only verdicts on pairs are earlier ones; those of pairs that stand apart say
-- so.
-- Parameters: $1 ids bigint[], $2 apart bigint[], $3 in_pairs boolean
-- Result: id bigint, status text
WITH tried AS (
    SELECT v.id, array_agg(i.profile_id ORDER BY i.profile_id) AS ids,
           coalesce(v.document::json ->> 'paired', '') = 'true' AS paired
    FROM verdicts v JOIN verdict_inputs i ON i.verdict_id = v.id AND i.side = 'candidate'
    WHERE v.id IN (SELECT c.verdict_id FROM verdict_inputs c
                   WHERE c.side = 'candidate' AND c.profile_id = ANY ($1::bigint[] || $2::bigint[]))
      AND v.status <> 'incomparable'
    GROUP BY v.id
),
first AS (
    SELECT DISTINCT ON (t.ids) t.id, t.paired, $3 AND t.ids && $2::bigint[] AS is_apart
    FROM tried t
    WHERE t.ids <> ARRAY(SELECT DISTINCT i FROM unnest($1::bigint[]) AS i ORDER BY i)
      AND CASE WHEN $3 THEN t.paired
               ELSE NOT (t.paired AND EXISTS (SELECT FROM tried o
                                              WHERE o.paired AND o.id > t.id AND o.ids @> t.ids))
          END
    ORDER BY t.ids, t.id
)
SELECT f.id,
       v.status
       || CASE WHEN v.status <> 'fail' AND NOT f.paired THEN ''
               WHEN v.document::json #>> '{reasons,0,code}' = 'inconclusive_by_policy'
               THEN ' by policy'
               WHEN EXISTS (SELECT FROM verdict_inputs i
                            CROSS JOIN LATERAL profile_retraction(i.profile_id) AS r (reason)
                            WHERE i.verdict_id = f.id AND r.reason IS NOT NULL)
               THEN ', but of a retracted profile'
               ELSE '' END
       || CASE WHEN f.is_apart THEN ' of other pairs' WHEN f.paired THEN ' of pairs' ELSE '' END
           AS status
FROM first f JOIN verdicts v ON v.id = f.id
ORDER BY f.id;
