-- How often a verdict was accepted in these words.
-- Parameters: $1 verdict_id bigint, $2 change_key text, $3 reason text
-- Result: count bigint
SELECT count(*) FROM acceptances WHERE verdict_id = $1 AND change_key = $2 AND reason = $3;
