-- A newer message shows the whole state: those of its key that still wait, and show one, are void.
-- Parameters: $1 destination_id bigint, $2 order_key text, $3 id bigint
-- Result: id bigint
UPDATE outbox
SET state = 'superseded', finished_at = now()
WHERE destination_id = $1 AND order_key = $2 AND id < $3 AND state = 'pending'
  AND standalone
RETURNING id;
