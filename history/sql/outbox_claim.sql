-- Claims the message that has been due for longest, is the first of its order key, and whose
-- receiver is open. A disabled receiver whose time is over gets one message, to see whether it
-- takes any: until that has ended, or its lease has, no other. is_whole: it is not another message
-- than the one that its verdict caused. What rests on no verdict and waits does not hold up what
-- rests on one.
-- Parameters: $1 lease_ms bigint
-- Result: id bigint, destination text, order_key text, dedupe_key text, content_type text,
--     lease_token text, body bytea, attempt integer, max_attempts integer,
--     lifetime_left_ms bigint, phase text, thread_ref text, created_us bigint,
--     settled text, is_whole boolean
WITH head AS (
    SELECT o.id, o.destination_id, d.name AS destination, t.remote_ref
    FROM outbox o
    JOIN destinations d ON d.id = o.destination_id
    LEFT JOIN alert_threads t
        ON t.destination_id = o.destination_id AND t.order_key = o.order_key
    WHERE o.state = 'pending' AND o.not_before <= now() AND o.expires_at > now()
      AND d.not_before <= now() AND coalesce(d.disabled_until <= now(), true)
      AND NOT EXISTS (SELECT FROM outbox p
                      WHERE p.destination_id = o.destination_id AND p.order_key = o.order_key
                        AND (p.state = 'sending'
                             OR p.state = 'pending'
                                AND (p.verdict_id IS NOT NULL OR o.verdict_id IS NULL))
                        AND p.id < o.id)
    ORDER BY o.not_before, o.id
    LIMIT 1
    FOR UPDATE OF o SKIP LOCKED
),
probe AS (
    UPDATE destinations d
    SET disabled_until = now() + $1::bigint * interval '1 millisecond'
    FROM head
    WHERE d.id = head.destination_id AND d.disabled_until IS NOT NULL
)
UPDATE outbox o
SET state = 'sending', attempt = o.attempt + 1, lease_token = gen_random_uuid(),
    lease_until = now() + $1::bigint * interval '1 millisecond'
FROM head
WHERE o.id = head.id
RETURNING o.id, head.destination, o.order_key, o.dedupe_key, o.content_type, o.lease_token::text,
          o.body, o.attempt, o.max_attempts,
          (extract(epoch FROM o.expires_at - now()) * 1000)::bigint, o.phase, head.remote_ref,
          (extract(epoch FROM o.created_at) * 1000000)::bigint, o.settled,
          NOT EXISTS (SELECT FROM verdict_messages m
                      WHERE m.verdict_id = o.verdict_id AND m.destination = head.destination
                        AND m.dedupe_key = o.dedupe_key
                        AND (m.body_sha256, m.order_key, m.content_type)
                            IS DISTINCT FROM (sha256(o.body), o.order_key, o.content_type));
