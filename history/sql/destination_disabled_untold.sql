-- A disabled destination of which nobody was told yet, locked.
-- Parameters: none
-- Result: name text, why text, until timestamptz, waiting bigint
SELECT d.name, d.disabled_why, d.disabled_until,
       (SELECT count(*) FROM outbox o WHERE o.destination_id = d.id AND o.state = 'pending')
FROM destinations d
WHERE d.disabled_why IS NOT NULL AND NOT d.disabled_told
ORDER BY d.id
LIMIT 1
FOR UPDATE OF d SKIP LOCKED;
