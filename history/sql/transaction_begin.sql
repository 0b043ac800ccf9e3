-- Starts a transaction, whatever the server's defaults are.
-- Parameters: none
-- Result: none
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
