-- Appends a range of a chain to the order of leaves.
-- Parameters: $1 first_leaf bigint, $2 chain text, $3 first_position bigint,
--     $4 last_position bigint
-- Result: none
INSERT INTO tree_ranges (first_leaf, chain, first_position, last_position)
VALUES ($1, $2, $3, $4);
