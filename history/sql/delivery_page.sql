-- Receipts behind an id. A message of another ledger has a negative number.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint, outbox_id bigint, destination text, dedupe_key text, verdict_id bigint,
--     attempt integer, outcome text, http_status integer, reason text, remote_ref text,
--     recorded_at timestamptz
SELECT id, abs(outbox_id), destination, dedupe_key, verdict_id, attempt, outcome, http_status,
       reason, remote_ref, recorded_at
FROM deliveries WHERE id > $1 ORDER BY id LIMIT $2;
