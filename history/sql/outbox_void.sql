-- The end of an alert is not told to a destination that never heard of its beginning: void when all
-- messages of its key before it are dead or void, and none of them was delivered, to nobody. It
-- comes back with them (outbox_revive). What stands alone is no such end.
-- Parameters: none
-- Result: id bigint
UPDATE outbox o
SET state = 'superseded', finished_at = now(), voided = true
WHERE o.state = 'pending' AND o.phase = 'resolved' AND NOT o.standalone
  AND EXISTS (SELECT FROM outbox p
              WHERE p.destination_id = o.destination_id AND p.order_key = o.order_key
                AND p.id < o.id AND p.state = 'dead')
  AND NOT EXISTS (SELECT FROM outbox p
                  WHERE p.destination_id = o.destination_id AND p.order_key = o.order_key
                    AND p.id < o.id
                    AND (p.state IN ('pending', 'sending', 'done') OR p.settled IS NOT NULL))
RETURNING o.id;
