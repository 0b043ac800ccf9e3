-- One producer per (destination, order key) until the end of the transaction: so ids ascend in
-- commit order within a key. In one fixed order, so that two producers cannot deadlock.
-- Parameters: $1 destinations text[], $2 order_keys text[]
-- Result: locked bigint
SELECT count(*) FROM outbox_lock($1, $2);
