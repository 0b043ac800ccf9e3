-- Canonical content of profiles: the document (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: profile_id bigint, document text
SELECT profile_id, document FROM summaries
WHERE profile_id BETWEEN $1 AND $2 ORDER BY profile_id;
