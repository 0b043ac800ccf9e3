-- Gives up messages whose time is over before they were sent; their receipt is one of the attempt
-- that was not made.
-- Parameters: none
-- Result: delivery_id bigint, chain text
WITH late AS (
    SELECT o.id, 'its time is over'
                 || coalesce('; the destination is disabled: ' || d.disabled_why, '') AS why
    FROM outbox o JOIN destinations d ON d.id = o.destination_id
    WHERE o.state = 'pending' AND o.expires_at <= now()
    FOR UPDATE OF o SKIP LOCKED
),
moved AS (
    UPDATE outbox o
    SET state = 'dead', finished_at = now(), last_error = late.why
    FROM late
    WHERE o.id = late.id
    RETURNING o.id, o.destination_id, o.dedupe_key, o.verdict_id, o.attempt, o.last_error
),
receipts AS (
    INSERT INTO deliveries (outbox_id, destination, dedupe_key, verdict_id, attempt, outcome,
                            reason)
    SELECT m.id, d.name, m.dedupe_key, m.verdict_id, m.attempt + 1, 'dead', m.last_error
    FROM moved m JOIN destinations d ON d.id = m.destination_id
    RETURNING id, chain_of_verdict(verdict_id) AS chain
)
SELECT r.id, r.chain FROM receipts r ORDER BY r.id;
