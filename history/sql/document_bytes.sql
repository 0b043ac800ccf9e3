-- How large a profile's document is; of one that is in an archive, no row.
-- Parameters: $1 id bigint
-- Result: document_bytes integer
SELECT octet_length(d.document)
FROM profiles p JOIN summaries d ON d.profile_id = p.id AND d.recorded_on = p.recorded_on
WHERE p.id = $1;
