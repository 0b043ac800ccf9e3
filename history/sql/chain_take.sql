-- Takes a chain for this transaction: until its end nobody else appends to it.
-- Parameters: $1 chain text
-- Result: now_at timestamptz
SELECT h.now_at FROM chain_head($1) AS h;
