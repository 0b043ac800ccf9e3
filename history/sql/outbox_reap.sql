-- Takes back the leases of workers that are gone; the attempt counts, and after the last one the
-- message is dead. A lease ends within a day, a pause, a digest or quiet hours within a week: what
-- lies beyond was written while the server's clock was ahead.
-- Parameters: none
-- Result: delivery_id bigint, chain text
WITH lost AS (
    SELECT o.id FROM outbox o
    WHERE o.state = 'sending'
      AND (o.lease_until < now() OR o.lease_until > now() + interval '25 hours')
    FOR UPDATE SKIP LOCKED
),
moved AS (
    UPDATE outbox o
    SET state = CASE WHEN o.attempt >= o.max_attempts THEN 'dead' ELSE 'pending' END,
        finished_at = CASE WHEN o.attempt >= o.max_attempts THEN now() END,
        not_before = least(o.not_before, now()), last_error = 'lease expired', lease_token = NULL,
        lease_until = NULL
    FROM lost
    WHERE o.id = lost.id
    RETURNING o.id, o.destination_id, o.dedupe_key, o.verdict_id, o.attempt
),
woken AS (
    UPDATE outbox o
    SET not_before = now()
    WHERE o.state = 'pending' AND o.not_before > now() + interval '8 days'
),
opened AS (
    UPDATE destinations d
    SET not_before = least(d.not_before, now()),
        disabled_until = CASE WHEN d.disabled_until > now() THEN now() ELSE d.disabled_until END
    WHERE d.not_before > now() + interval '8 days' OR d.disabled_until > now() + interval '8 days'
),
receipts AS (
    INSERT INTO deliveries (outbox_id, destination, dedupe_key, verdict_id, attempt, outcome,
                            reason)
    SELECT m.id, d.name, m.dedupe_key, m.verdict_id, m.attempt, 'lease_expired',
           'the worker was gone before it recorded what came of it'
    FROM moved m JOIN destinations d ON d.id = m.destination_id
    RETURNING id, chain_of_verdict(verdict_id) AS chain
)
SELECT r.id, r.chain FROM receipts r ORDER BY r.id;
