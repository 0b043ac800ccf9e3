-- Canonical content of deliveries (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: id bigint, outbox_id bigint, destination text, dedupe_key text, verdict_id bigint,
--     attempt integer, outcome text, http_status integer, reason text, remote_ref text,
--     recorded_at timestamptz
SELECT id, outbox_id, destination, dedupe_key, verdict_id, attempt, outcome, http_status, reason,
       remote_ref, recorded_at
FROM deliveries
WHERE id BETWEEN $1 AND $2 ORDER BY id;
