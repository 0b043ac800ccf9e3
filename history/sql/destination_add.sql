-- A destination that was never written to before, unless another transaction was faster.
-- Parameters: $1 name text
-- Result: none
INSERT INTO destinations (name) VALUES ($1) ON CONFLICT (name) DO NOTHING;
