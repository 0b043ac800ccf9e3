-- The peaks of the tree over all entries in the order of leaves, the largest first; no row when it
-- has none.
-- Parameters: none
-- Result: leaves bigint, peak bytea
SELECT g.leaves, p.peak
FROM tree_grow() AS g CROSS JOIN LATERAL unnest(g.peaks) WITH ORDINALITY AS p (peak, place)
ORDER BY p.place;
