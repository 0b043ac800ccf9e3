-- Receipts behind an id, with when they were recorded first. A message of another ledger has a
-- negative number.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint, outbox_id bigint, destination text, dedupe_key text, verdict_id bigint,
--     attempt integer, outcome text, http_status integer, reason text, remote_ref text,
--     recorded_at timestamptz
SELECT d.id, abs(d.outbox_id), d.destination, d.dedupe_key, d.verdict_id, d.attempt, d.outcome,
       d.http_status, d.reason, d.remote_ref, coalesce(o.recorded_at, d.recorded_at)
FROM deliveries d LEFT JOIN origins o ON o.kind = 'delivery' AND o.subject_id = d.id
WHERE d.id > $1 ORDER BY d.id LIMIT $2;
