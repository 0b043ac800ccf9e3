-- The last checkpoint.
-- Parameters: none
-- Result: id bigint, document text, recorded_at timestamptz
SELECT c.id, c.document, c.recorded_at FROM checkpoints c ORDER BY c.id DESC LIMIT 1;
