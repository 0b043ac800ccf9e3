-- The hashes of entries in the order of leaves, from a leaf on. Each range gives at most a page, so
-- that a long one is not sorted again for every page of it.
-- Parameters: $1 leaf bigint, $2 row_limit bigint
-- Result: leaf bigint, entry_sha256 bytea
SELECT r.first_leaf + p.position - r.first_position, p.entry_sha256
FROM tree_ranges r
CROSS JOIN LATERAL (
    SELECT e.position, e.entry_sha256 FROM entries e
    WHERE e.chain = r.chain AND e.position <= r.last_position
      AND e.position >= r.first_position + greatest($1 - r.first_leaf, 0)
    ORDER BY e.position LIMIT $2) p
WHERE r.first_leaf >= coalesce((SELECT max(b.first_leaf) FROM tree_ranges b
                                WHERE b.first_leaf <= $1), 0)
ORDER BY r.first_leaf, p.position LIMIT $2;
