-- Gives a dead message all its attempts and lifetime_ms again, and opens its destination; with what
-- was lost after it under its order key about the alert: the dead, and ends that were void since
-- their beginning was dead.
-- Parameters: $1 id bigint, $2 lifetime_ms bigint, $3 with_lost boolean
-- Result: id bigint
WITH revived AS (
    UPDATE outbox o
    SET state = 'pending', attempt = 0, not_before = now(), finished_at = NULL, dead_told = false,
        voided = false, expires_at = now() + $2::bigint * interval '1 millisecond'
    FROM outbox m
    WHERE m.id = $1 AND m.state = 'dead'
      AND (o.id = m.id
           OR $3 AND o.destination_id = m.destination_id AND o.order_key = m.order_key
              AND o.id > m.id AND o.phase <> 'none' AND (o.state = 'dead' OR o.voided))
    RETURNING o.id, o.destination_id
),
opened AS (
    UPDATE destinations d
    SET disabled_why = NULL, disabled_until = NULL, refused_count = 0, disabled_told = false
    WHERE d.disabled_why IS NOT NULL AND d.id IN (SELECT r.destination_id FROM revived r)
)
SELECT r.id FROM revived r ORDER BY r.id;
