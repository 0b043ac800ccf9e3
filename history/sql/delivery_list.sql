-- The receipts of one message, oldest first.
-- Parameters: $1 id bigint
-- Result: attempt integer, outcome text, http_status integer, reason text, remote_ref text,
--     recorded_at timestamptz
SELECT r.attempt, r.outcome, r.http_status, r.reason, r.remote_ref, r.recorded_at
FROM deliveries r WHERE r.outbox_id = $1 ORDER BY r.id;
