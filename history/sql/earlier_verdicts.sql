-- The verdicts that were made of some of these candidates, one per set of candidates, oldest first;
-- of other profiles of the change that stand apart as well. Those that compared nothing do not
-- count, nor do those that compared a commit with itself, and those on all of the candidates
-- (is_again), unless they failed by the same policy: a fail is not undone by judging again what it
-- was made of. A fail counts unless the policy made it of a verdict that could not tell, or it
-- rests on a profile that was retracted since; where it had seen all that is judged now it is one
-- "of these runs": these candidates, and where the past of a branch is the baseline, these past
-- runs; a fail that only stood against another baseline had not. What runs in turns showed says so,
-- unless a later verdict judged all of them and more in pairs. Of candidates in pairs only verdicts
-- on pairs are earlier ones; those of pairs that stand apart say so, unless a later verdict by the
-- same policy judged all of them and more in pairs. reason: what a fail failed by, where that is
-- not an earlier one that stood. A fail of its own, by the same policy and against another
-- baseline, is "against" that one, of pairs and of runs alike (others: those that pairs leave out),
-- unless a later verdict against that one did not fail of all its runs and more, or passed of
-- pairs. Baselines are one by what the request says of them, or named profiles where the earlier
-- ones all stand there (of pairs), and no others (of runs); what says nothing is of old, and the
-- same. What pairs against another baseline showed is a word of neither kind. A fail of runs that
-- took no turns is one "without turns" beside pairs: these outweigh it, and do not hide it.
-- policies: the hashes by which one policy is known.
-- Parameters: $1 ids bigint[], $2 apart bigint[], $3 in_pairs boolean, $4 policies text[],
--     $5 past bigint[], $6 against text[], $7 named bigint[], $8 others bigint[]
-- Result: id bigint, status text, is_again boolean, reason text
WITH now AS MATERIALIZED (
    SELECT ARRAY(SELECT DISTINCT i FROM unnest($1::bigint[]) AS i ORDER BY i) AS ids,
           ARRAY(SELECT p.id FROM present_profiles p
                 WHERE p.id = ANY ($8::bigint[])
                   AND p.series_id IN (SELECT c.series_id FROM present_profiles c
                                       WHERE c.id = ANY ($1::bigint[]))) AS others
),
asked AS MATERIALIZED ( -- documents of others are not looked into, and each is read in one go
    SELECT i.verdict_id AS id, r.is_own_past, r.against
    FROM (SELECT DISTINCT c.verdict_id FROM now n, verdict_inputs c
          WHERE c.side = 'candidate'
            AND c.profile_id = ANY ($1::bigint[] || $2::bigint[] || n.others)) i
    CROSS JOIN LATERAL (SELECT (SELECT document_json(q.document) FROM verdict_requests q
                                WHERE q.verdict_id = i.verdict_id) AS document OFFSET 0) d
    CROSS JOIN LATERAL json_to_record(
        CASE WHEN json_typeof(d.document) = 'object' THEN d.document END)
        AS r (is_own_past text, against json)
),
tried AS MATERIALIZED (
    SELECT v.id, v.status,
           ARRAY(SELECT i.profile_id FROM verdict_inputs i
                 WHERE i.verdict_id = v.id AND i.side = 'candidate'
                 ORDER BY i.profile_id) AS ids,
           coalesce(r.paired, '') = 'true' AS paired,
           CASE WHEN r.policy_sha256 = ANY ($4::text[]) THEN ($4::text[])[1]
                ELSE r.policy_sha256 END AS policy,
           r.reasons -> 0 AS reason,
           CASE WHEN json_typeof(a.against) = 'array'
                THEN ARRAY(SELECT json_array_elements_text(a.against))
           END AS against,
           ARRAY(SELECT b.profile_id FROM verdict_inputs b
                 WHERE b.verdict_id = v.id AND b.side = 'baseline') AS bases
    FROM asked a JOIN verdicts v ON v.id = a.id
    CROSS JOIN LATERAL (SELECT document_json(v.document) AS document OFFSET 0) d
    CROSS JOIN LATERAL json_to_record(
        CASE WHEN json_typeof(d.document) = 'object' THEN d.document END)
        AS r (paired text, policy_sha256 text, reasons json)
    WHERE v.status <> 'incomparable' AND a.is_own_past IS DISTINCT FROM 'true'
),
judged AS MATERIALIZED (
    SELECT t.*,
           CASE WHEN t.status <> 'fail' AND NOT t.paired THEN ''
                WHEN t.reason ->> 'code' = 'inconclusive_by_policy' THEN ' by policy'
                WHEN EXISTS (SELECT FROM verdict_inputs i
                             CROSS JOIN LATERAL profile_retraction(i.profile_id) AS r (reason)
                             WHERE i.verdict_id = t.id AND r.reason IS NOT NULL)
                THEN ', but of a retracted profile'
                ELSE '' END AS but,
           NOT coalesce(t.against && $6::text[]
                        OR (t.against = '{}' AND t.bases <@ $7::bigint[]
                            AND ($3 OR $7::bigint[] <@ t.bases)), true) AS is_elsewhere
    FROM tried t
),
told AS MATERIALIZED (
    SELECT j.*,
           EXISTS (SELECT FROM judged o
                   WHERE o.paired AND o.id > j.id AND o.ids @> j.ids AND o.policy = j.policy)
               AS is_superseded,
           j.is_elsewhere AND j.status = 'fail' AND j.but = '' AND j.policy = ($4::text[])[1]
           AND j.reason ->> 'code' <> 'earlier_fail_stands'
           AND NOT (j.paired AND NOT $3) -- stands against runs anyway
           AND NOT EXISTS (SELECT FROM judged o
                           WHERE o.id > j.id AND o.policy = ($4::text[])[1] AND o.but = ''
                             AND (o.against && j.against OR (o.against = '{}' AND j.against = '{}'
                                                             AND o.bases @> j.bases))
                             AND (o.paired AND o.status = 'pass'
                                  OR o.paired = j.paired AND o.status <> 'fail' AND o.ids @> j.ids))
               AS failed_elsewhere,
           $3 AND NOT j.paired AND NOT j.is_elsewhere AND j.status = 'fail' AND j.but = ''
           AND j.policy = ($4::text[])[1]
           AND j.reason ->> 'code' <> 'earlier_fail_stands' AS is_outweighed
    FROM judged j
),
first AS (
    SELECT DISTINCT ON (j.ids) j.*, j.ids = n.ids OR ($3 AND NOT j.paired) AS is_again,
           $3 AND j.ids && $2::bigint[] AS is_apart,
           j.ids @> n.ids AND j.policy = ($4::text[])[1] AND j.paired = $3 AND NOT j.is_elsewhere
           AND NOT (j.reason ->> 'code' = 'earlier_fail_stands' -- VERDICT_FAILED_AGAINST
                    AND starts_with(j.reason ->> 'text', 'Against '))
           AND ($3
                OR NOT EXISTS (SELECT FROM unnest($5::bigint[]) AS p (id)
                               WHERE p.id NOT IN (SELECT i.profile_id FROM verdict_inputs i
                                                  WHERE i.verdict_id = j.id
                                                    AND i.side = 'baseline')))
               AS saw_all
    FROM told j, now n
    WHERE CASE WHEN j.ids = n.ids
               THEN j.status = 'fail' AND j.but = '' AND j.policy = ($4::text[])[1]
               ELSE true END
      AND CASE WHEN j.failed_elsewhere THEN true
               WHEN $3 AND NOT j.paired THEN j.is_outweighed
               WHEN $3 THEN j.ids && ($1::bigint[] || $2::bigint[])
                            AND (j.ids && $1::bigint[] OR NOT j.is_superseded)
               ELSE NOT (j.paired AND j.is_superseded)
          END
    ORDER BY j.ids, j.failed_elsewhere DESC, j.status = 'fail' AND j.but = '' DESC, j.id
)
SELECT f.id,
       f.status || f.but
       || CASE WHEN f.failed_elsewhere
               THEN ' against ' || coalesce(f.against[1], 'the profiles that were named')
               WHEN f.paired AND f.is_elsewhere
                    AND (f.status <> 'fail' OR f.reason ->> 'code' = 'earlier_fail_stands')
               THEN ' of pairs against another baseline'
               WHEN f.is_outweighed THEN ' without turns'
               WHEN f.is_apart THEN ' of other pairs'
               WHEN f.saw_all AND f.status = 'fail' AND f.but = ''
               THEN CASE WHEN f.paired THEN ' of these pairs' ELSE ' of these runs' END
               WHEN f.paired THEN ' of pairs'
               ELSE '' END AS status,
       f.is_again,
       CASE WHEN f.status = 'fail' AND f.but = '' AND NOT f.is_outweighed
                 AND f.reason ->> 'code' <> 'earlier_fail_stands'
            THEN f.reason ->> 'text' END AS reason
FROM first f
ORDER BY f.id;
