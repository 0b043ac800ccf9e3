-- Up to which subject of each kind the migration to chains found rows.
-- Parameters: none
-- Result: kind text, last_id bigint
SELECT kind, last_id FROM chain_starts WHERE last_id > 0
ORDER BY array_position(ARRAY['profile', 'event', 'verdict'], kind);
