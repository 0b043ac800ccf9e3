-- The newest verdict on a candidate that this profile belongs to; no row when it was never judged.
-- Parameters: $1 profile_id bigint
-- Result: id bigint
SELECT i.verdict_id AS id FROM verdict_inputs i
WHERE i.side = 'candidate' AND i.profile_id = $1
ORDER BY i.verdict_id DESC
LIMIT 1;
