-- The number of the next archive.
-- Parameters: none
-- Result: id bigint
SELECT nextval('archives_id_seq');
