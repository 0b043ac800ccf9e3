-- Canonical content of verdicts: the profiles that each rests on (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: verdict_id bigint, side text, ordinal integer, profile_id bigint
SELECT verdict_id, side, ordinal, profile_id FROM verdict_inputs
WHERE verdict_id BETWEEN $1 AND $2 ORDER BY verdict_id, side COLLATE "C", ordinal;
