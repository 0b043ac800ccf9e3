-- When the period of a report's last issue ended.
-- Parameters: $1 project text, $2 name text
-- Result: until_at timestamptz
SELECT r.until_at FROM projects j JOIN reports r ON r.project_id = j.id
WHERE j.name = $1 AND r.name = $2 ORDER BY r.until_at DESC LIMIT 1;
