-- What is kept of each host of a capture beside what its profile's document says of it.
-- Parameters: $1 profile_id bigint
-- Result: job text, document text
SELECT job, document FROM capture_hosts WHERE profile_id = $1 ORDER BY ordinal;
