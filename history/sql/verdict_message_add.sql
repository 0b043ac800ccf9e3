-- Keeps what a verdict told whom, by hash.
-- Parameters: $1 verdict_id bigint, $2 ordinal integer, $3 destination text, $4 order_key text,
--     $5 dedupe_key text, $6 content_type text, $7 body bytea
-- Result: none
INSERT INTO verdict_messages (verdict_id, ordinal, destination, order_key, dedupe_key,
                              content_type, body_sha256)
VALUES ($1, $2, $3, $4, $5, $6, sha256($7));
