-- Acceptances behind an id.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint, verdict_id bigint, change_key text, reason text, recorded_by text
SELECT id, verdict_id, change_key, reason, recorded_by
FROM acceptances WHERE id > $1 ORDER BY id LIMIT $2;
