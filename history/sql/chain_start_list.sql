-- Up to which subject of each kind migrations of this run found rows without entries, in an order
-- in which chains can tell what happened.
-- Parameters: none
-- Result: kind text, last_id bigint
SELECT kind, last_id FROM chain_starts WHERE last_id > 0
ORDER BY array_position(ARRAY['project', 'series', 'policy', 'profile', 'event', 'verdict',
                              'delivery', 'acceptance', 'rebaseline', 'alert', 'track'], kind);
