-- One file of a job; its bytes, or NULL when workers read the path.
-- Parameters: $1 job_id bigint, $2 ordinal integer, $3 path text, $4 body bytea, $5 part text
-- Result: none
INSERT INTO queue_files (job_id, ordinal, path, body, part) VALUES ($1, $2, $3, $4, $5);
