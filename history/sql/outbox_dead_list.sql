-- Dead messages, oldest first. ids NULL: all of them, or those of a destination that died within
-- window_ms.
-- Parameters: $1 ids bigint[], $2 window_ms bigint, $3 destination text
-- Result: id bigint, destination text, order_key text, phase text, verdict_id bigint
SELECT o.id, d.name, o.order_key, o.phase, o.verdict_id
FROM outbox o JOIN destinations d ON d.id = o.destination_id
WHERE o.state = 'dead' AND ($1::bigint[] IS NULL OR o.id = ANY ($1))
  AND ($3::text IS NULL
       OR d.name = $3::text
          AND o.finished_at BETWEEN now() - $2::bigint * interval '1 millisecond'
                                AND now() + interval '5 minutes')
ORDER BY o.id;
