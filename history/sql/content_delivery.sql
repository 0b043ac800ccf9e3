-- Canonical content of deliveries (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, outbox_id bigint, destination text, dedupe_key text, verdict_id bigint,
--     attempt integer, outcome text, http_status integer, reason text, remote_ref text,
--     recorded_at timestamptz
COPY (
SELECT id, outbox_id, destination, dedupe_key, verdict_id, attempt, outcome, http_status, reason,
       remote_ref, recorded_at
FROM deliveries
WHERE id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY id
) TO STDOUT (FORMAT binary);
