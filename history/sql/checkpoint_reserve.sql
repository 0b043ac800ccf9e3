-- The number of the next checkpoint.
-- Parameters: none
-- Result: id bigint
SELECT nextval('checkpoints_id_seq');
