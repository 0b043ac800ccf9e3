-- Ends a transaction: what it did is durable when this returns.
-- Parameters: none
-- Result: none
COMMIT;
