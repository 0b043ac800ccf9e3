-- The files of a job; body is NULL when the path is to be read.
-- Parameters: $1 job_id bigint
-- Result: path text, body bytea, part text
SELECT path, body, part FROM queue_files WHERE job_id = $1 ORDER BY ordinal;
