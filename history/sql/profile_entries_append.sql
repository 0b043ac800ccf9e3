-- Appends the entries of a profile, whose rows are all written, and of the event that came with it.
-- Parameters: $1 profile_id bigint, $2 profile_sha256 bytea, $3 event_id bigint,
--     $4 event_sha256 bytea
-- Result: position bigint
SELECT profile_entries_append($1, $2, $3, $4);
