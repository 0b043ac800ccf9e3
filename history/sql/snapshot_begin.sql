-- Starts a transaction that sees the ledger as it is now, to its end, and writes nothing; a replica
-- can do that too.
-- Parameters: none
-- Result: none
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
