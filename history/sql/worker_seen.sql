-- A worker reports itself.
-- Parameters: $1 name text, $2 kind text, $3 slots integer, $4 busy integer
-- Result: none
INSERT INTO workers AS w (name, kind, slots, busy) VALUES ($1, $2, $3, $4)
ON CONFLICT (name) DO UPDATE
SET kind = excluded.kind, slots = excluded.slots, busy = excluded.busy, seen_at = now();
