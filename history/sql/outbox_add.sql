-- A message to be sent, once per destination and dedupe key; no row when it is known. One that
-- rests on no verdict takes the key of none that does.
-- Parameters: $1 destination_id bigint, $2 verdict_id bigint, $3 order_key text,
--     $4 dedupe_key text, $5 content_type text, $6 body bytea, $7 max_attempts integer,
--     $8 lifetime_ms bigint, $9 phase text, $10 headline text, $11 wait_ms bigint,
--     $12 in_digest boolean, $13 standalone boolean
-- Result: id bigint
INSERT INTO outbox (destination_id, verdict_id, order_key, dedupe_key, content_type, body,
                    max_attempts, expires_at, phase, headline, not_before, in_digest,
                    standalone)
VALUES ($1, $2, $3, $4, $5, $6, $7,
        now() + ($8::bigint + $11::bigint) * interval '1 millisecond', $9::text, $10::text,
        now() + $11::bigint * interval '1 millisecond', $12, $13)
ON CONFLICT (destination_id, dedupe_key, (verdict_id IS NULL)) DO NOTHING
RETURNING id;
