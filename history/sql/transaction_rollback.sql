-- Takes back what the transaction did.
-- Parameters: none
-- Result: none
ROLLBACK;
