-- Canonical content of verdicts: the messages that each caused (history/chain/canonical.h).
-- Parameters: none
-- Copies: verdict_id bigint, ordinal integer, destination text, order_key text,
--     dedupe_key text, content_type text, body_sha256 bytea
COPY (
SELECT verdict_id, ordinal, destination, order_key, dedupe_key, content_type, body_sha256
FROM verdict_messages
WHERE verdict_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY verdict_id, ordinal
) TO STDOUT (FORMAT binary);
