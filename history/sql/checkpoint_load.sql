-- A checkpoint as it was made.
-- Parameters: $1 id bigint
-- Result: document text
SELECT document FROM checkpoints WHERE id = $1;
