-- The hashes of entries in the order of leaves, from a leaf on.
-- Parameters: $1 leaf bigint, $2 row_limit bigint
-- Result: leaf bigint, entry_sha256 bytea
SELECT r.first_leaf + e.position - r.first_position, e.entry_sha256
FROM tree_ranges r
JOIN entries e ON e.chain = r.chain AND e.position BETWEEN r.first_position AND r.last_position
WHERE r.first_leaf >= coalesce((SELECT max(b.first_leaf) FROM tree_ranges b
                                WHERE b.first_leaf <= $1), 0)
  AND e.position >= r.first_position + greatest($1 - r.first_leaf, 0)
ORDER BY r.first_leaf, e.position LIMIT $2;
