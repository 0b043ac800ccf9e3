-- Canonical content of verdicts: the profiles that each rests on (history/chain/canonical.h).
-- Parameters: none
-- Copies: verdict_id bigint, side text, ordinal integer, profile_id bigint
COPY (
SELECT verdict_id, side, ordinal, profile_id FROM verdict_inputs
WHERE verdict_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY verdict_id, side COLLATE "C", ordinal
) TO STDOUT (FORMAT binary);
