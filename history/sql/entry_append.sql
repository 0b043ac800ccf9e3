-- Appends the entry of a subject, whose rows are all written, to the chain that it belongs to.
-- Parameters: $1 kind text, $2 subject_id bigint, $3 content_sha256 bytea, $4 on_behalf_of text
-- Result: position bigint
SELECT entry_append($1, $2, $3, $4);
