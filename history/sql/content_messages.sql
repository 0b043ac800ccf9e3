-- Canonical content of verdicts: the messages that each caused (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: verdict_id bigint, ordinal integer, destination text, order_key text,
--     dedupe_key text, content_type text, body_sha256 bytea
SELECT verdict_id, ordinal, destination, order_key, dedupe_key, content_type, body_sha256
FROM verdict_messages
WHERE verdict_id BETWEEN $1 AND $2 ORDER BY verdict_id, ordinal;
