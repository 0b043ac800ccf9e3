-- Begins a checkpoint, in the transaction that stores it: appends what every chain got since the
-- last one to the order of leaves, and tells where every chain ends, in the byte order of names.
-- Parameters: none
-- Result: chain text, position bigint, entry_sha256 bytea
SELECT chain, head_position, head_sha256 FROM checkpoint_begin();
