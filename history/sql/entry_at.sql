-- The hash of an entry, and where its chain ends.
-- Parameters: $1 chain text, $2 position bigint
-- Result: entry_sha256 bytea, last_position bigint
SELECT (SELECT e.entry_sha256 FROM entries e WHERE e.chain = $1 AND e.position = $2),
       (SELECT e.position FROM entries e WHERE e.chain = $1 ORDER BY e.position DESC LIMIT 1);
