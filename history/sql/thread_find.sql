-- What a destination was told last about an alert, and how long ago; for ever when that was in the
-- future, as the server's clock had it, so that it is told again.
-- Parameters: $1 destination text, $2 order_key text
-- Result: phase text, generation integer, age_ms bigint
SELECT t.phase, t.generation,
       CASE WHEN t.changed_at > now() + interval '5 minutes' THEN 9223372036854775807
            ELSE greatest((extract(epoch FROM now() - t.changed_at) * 1000)::bigint, 0) END
FROM alert_threads t JOIN destinations d ON d.id = t.destination_id
WHERE d.name = $1 AND t.order_key = $2;
