-- The verdicts that were made of some of these candidates and not of all of them, the first of each
-- set of candidates, oldest first. Those that compared nothing do not count.
-- Parameters: $1 ids bigint[]
-- Result: id bigint, status text
WITH tried AS (
    SELECT v.id, v.status, array_agg(i.profile_id ORDER BY i.profile_id) AS ids
    FROM verdicts v JOIN verdict_inputs i ON i.verdict_id = v.id AND i.side = 'candidate'
    WHERE v.id IN (SELECT c.verdict_id FROM verdict_inputs c
                   WHERE c.side = 'candidate' AND c.profile_id = ANY ($1::bigint[]))
      AND v.status <> 'incomparable'
    GROUP BY v.id
),
first AS (
    SELECT DISTINCT ON (t.ids) t.id, t.status FROM tried t
    WHERE t.ids <> ARRAY(SELECT DISTINCT i FROM unnest($1::bigint[]) AS i ORDER BY i)
    ORDER BY t.ids, t.id
)
SELECT f.id, f.status FROM first f ORDER BY f.id;
