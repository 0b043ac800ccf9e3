-- Canonical content of verdicts: what each can be made again from (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: verdict_id bigint, policy bytea, document text
SELECT verdict_id, policy, document FROM verdict_requests
WHERE verdict_id BETWEEN $1 AND $2 ORDER BY verdict_id;
