-- How many messages a destination got within a while, digests apart.
-- Parameters: $1 destination text, $2 window_ms bigint
-- Result: count bigint
SELECT count(*)
FROM outbox o JOIN destinations d ON d.id = o.destination_id
WHERE d.name = $1 AND NOT o.in_digest
  AND o.created_at BETWEEN now() - $2::bigint * interval '1 millisecond'
                       AND now() + interval '5 minutes';
