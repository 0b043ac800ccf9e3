-- The summary document of a profile.
-- Parameters: $1 profile_id bigint, $2 document text
-- Result: none
INSERT INTO summaries (profile_id, document) VALUES ($1, $2);
