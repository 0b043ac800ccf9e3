-- A new project, unless another transaction was faster.
-- Parameters: $1 name text
-- Result: id bigint, chain text
INSERT INTO projects (name) VALUES ($1) ON CONFLICT (name) DO NOTHING
RETURNING id, 'j' || id;
