-- 0150: an end that was not told because its beginning never arrived is marked, so that it comes
-- back when that is tried again; and what stands alone (the state of a commit, a record) is told
-- whatever became of the messages before it. Work state.

ALTER TABLE outbox
    ADD COLUMN standalone boolean NOT NULL DEFAULT false,
    ADD COLUMN voided boolean NOT NULL DEFAULT false,
    ADD CHECK (NOT voided OR state = 'superseded');

UPDATE outbox o
SET voided = true
WHERE o.state = 'superseded' AND o.phase = 'resolved' AND NOT o.in_digest
  AND EXISTS (SELECT FROM outbox p
              WHERE p.destination_id = o.destination_id AND p.order_key = o.order_key
                AND p.id < o.id AND p.state = 'dead')
  AND NOT EXISTS (SELECT FROM outbox p
                  WHERE p.destination_id = o.destination_id AND p.order_key = o.order_key
                    AND p.id < o.id AND p.state IN ('pending', 'sending', 'done'));
