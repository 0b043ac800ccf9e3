-- Canonical content of verdicts: what each can be made again from (history/chain/canonical.h).
-- Parameters: none
-- Copies: verdict_id bigint, policy bytea, document text
COPY (
SELECT verdict_id, policy, document FROM verdict_requests
WHERE verdict_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY verdict_id
) TO STDOUT (FORMAT binary);
