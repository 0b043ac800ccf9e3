-- Takes a chain for this transaction and reads its head; NULLs when it is empty.
-- Parameters: $1 chain text
-- Result: position bigint, entry_sha256 bytea, now_at timestamptz
SELECT h.head_position, h.head_sha256, h.now_at FROM chain_head($1) AS h;
