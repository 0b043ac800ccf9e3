-- A receipt of another ledger, unless it is here; no row then. Its message's number is negative,
-- so that it is not taken for one of ours.
-- Parameters: $1 message bigint, $2 destination text, $3 dedupe_key text, $4 verdict_id bigint,
--     $5 attempt integer, $6 outcome text, $7 http_status bigint, $8 reason text,
--     $9 remote_ref text, $10 recorded_at text
-- Result: id bigint, chain text
INSERT INTO deliveries (outbox_id, destination, dedupe_key, verdict_id, attempt, outcome,
                        http_status, reason, remote_ref)
SELECT -$1::bigint, $2, $3, $4, $5, $6, $7::bigint, $8, $9
WHERE NOT EXISTS (
    SELECT FROM deliveries d LEFT JOIN origins o ON o.kind = 'delivery' AND o.subject_id = d.id
    WHERE d.verdict_id IS NOT DISTINCT FROM $4 AND d.destination = $2 AND d.dedupe_key = $3
      AND d.attempt = $5 AND d.outcome = $6
      AND coalesce(o.recorded_at, d.recorded_at) = $10::text::timestamptz)
RETURNING id, chain_of_verdict(verdict_id);
