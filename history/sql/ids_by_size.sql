-- Profiles by the size of their documents, the smallest first, of equal ones the newest first.
-- Parameters: $1 ids bigint[]
-- Result: id bigint
SELECT p.id
FROM profiles p
LEFT JOIN summaries d ON d.profile_id = p.id AND d.recorded_on = p.recorded_on
WHERE p.id = ANY ($1::bigint[])
ORDER BY octet_length(d.document) NULLS FIRST, p.id DESC;
