-- The number of the next verdict.
-- Parameters: none
-- Result: id bigint
SELECT nextval('verdicts_id_seq');
