-- A message to be sent, once per destination and dedupe key.
-- Parameters: $1 destination_id bigint, $2 verdict_id bigint, $3 order_key text,
--     $4 dedupe_key text, $5 content_type text, $6 body bytea, $7 max_attempts integer,
--     $8 lifetime_ms bigint
-- Result: none
INSERT INTO outbox (destination_id, verdict_id, order_key, dedupe_key, content_type, body,
                    max_attempts, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, now() + $8::bigint * interval '1 millisecond')
ON CONFLICT (destination_id, dedupe_key) DO NOTHING;
