-- Profiles behind an id.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint
SELECT id FROM profiles WHERE id > $1 ORDER BY id LIMIT $2;
