-- Gives dead messages all their attempts and a day's time again, and opens their destinations.
-- ids NULL: all of them, or those of a destination that died within lifetime_ms.
-- Parameters: $1 ids bigint[], $2 lifetime_ms bigint, $3 destination text
-- Result: id bigint
WITH revived AS (
    UPDATE outbox o
    SET state = 'pending', attempt = 0, not_before = now(), finished_at = NULL, dead_told = false,
        expires_at = now() + $2::bigint * interval '1 millisecond'
    FROM destinations d
    WHERE o.state = 'dead' AND d.id = o.destination_id AND ($1::bigint[] IS NULL OR o.id = ANY ($1))
      AND ($3::text IS NULL
           OR d.name = $3::text
              AND o.finished_at > now() - $2::bigint * interval '1 millisecond')
    RETURNING o.id, o.destination_id
),
opened AS (
    UPDATE destinations d
    SET disabled_why = NULL, disabled_until = NULL, refused_count = 0, disabled_told = false
    WHERE d.disabled_why IS NOT NULL AND d.id IN (SELECT r.destination_id FROM revived r)
)
SELECT r.id FROM revived r ORDER BY r.id;
