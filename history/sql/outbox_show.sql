-- One message with its bytes.
-- Parameters: $1 id bigint
-- Result: destination text, state text, phase text, order_key text, dedupe_key text,
--     content_type text, body bytea, last_error text
SELECT d.name, o.state, o.phase, o.order_key, o.dedupe_key, o.content_type, o.body, o.last_error
FROM outbox o JOIN destinations d ON d.id = o.destination_id
WHERE o.id = $1;
