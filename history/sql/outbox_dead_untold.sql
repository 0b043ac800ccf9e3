-- A dead message of which nobody was told yet, locked.
-- Parameters: none
-- Result: id bigint, destination text, phase text, headline text, last_error text,
--     verdict_id bigint, order_key text
SELECT o.id, d.name, o.phase, o.headline, o.last_error, o.verdict_id, o.order_key
FROM outbox o JOIN destinations d ON d.id = o.destination_id
WHERE o.state = 'dead' AND NOT o.dead_told
ORDER BY o.id
LIMIT 1
FOR UPDATE OF o SKIP LOCKED;
