-- Takes back the leases of workers that are gone; the attempt counts, and after the last one the
-- message is dead.
-- Parameters: none
-- Result: delivery_id bigint, chain text
WITH lost AS (
    SELECT o.id FROM outbox o
    WHERE o.state = 'sending' AND o.lease_until < now()
    FOR UPDATE SKIP LOCKED
),
moved AS (
    UPDATE outbox o
    SET state = CASE WHEN o.attempt >= o.max_attempts THEN 'dead' ELSE 'pending' END,
        finished_at = CASE WHEN o.attempt >= o.max_attempts THEN now() END,
        last_error = 'lease expired', lease_token = NULL, lease_until = NULL
    FROM lost
    WHERE o.id = lost.id
    RETURNING o.id, o.destination_id, o.dedupe_key, o.verdict_id, o.attempt
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
