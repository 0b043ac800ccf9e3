-- What a destination was told last about an alert, and how long ago.
-- Parameters: $1 destination text, $2 order_key text
-- Result: phase text, generation integer, age_ms bigint
SELECT t.phase, t.generation, (extract(epoch FROM now() - t.changed_at) * 1000)::bigint
FROM alert_threads t JOIN destinations d ON d.id = t.destination_id
WHERE d.name = $1 AND t.order_key = $2;
