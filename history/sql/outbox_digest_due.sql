-- The messages of one destination that are due and may be told together, locked; none when there
-- are fewer than two.
-- Parameters: $1 limit bigint
-- Result: destination text, id bigint, headline text
WITH chosen AS (
    SELECT o.destination_id FROM outbox o
    WHERE o.state = 'pending' AND o.in_digest AND o.not_before <= now() AND o.expires_at > now()
    GROUP BY o.destination_id HAVING count(*) > 1
    ORDER BY min(o.id)
    LIMIT 1
)
SELECT d.name, o.id, o.headline
FROM outbox o JOIN chosen c USING (destination_id) JOIN destinations d ON d.id = o.destination_id
WHERE o.state = 'pending' AND o.in_digest AND o.not_before <= now() AND o.expires_at > now()
ORDER BY o.id
LIMIT $1
FOR UPDATE OF o SKIP LOCKED;
