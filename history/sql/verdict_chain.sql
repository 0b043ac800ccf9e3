-- The name of the chain that a verdict hangs on.
-- Parameters: $1 id bigint
-- Result: chain text
SELECT chain_of_verdict($1);
