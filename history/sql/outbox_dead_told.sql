-- Somebody was told, or there is nobody to tell.
-- Parameters: $1 id bigint
-- Result: none
UPDATE outbox SET dead_told = true WHERE id = $1;
