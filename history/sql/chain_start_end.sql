-- What migrations found without entries has them now.
-- Parameters: none
-- Result: none
DELETE FROM chain_starts;
