-- What profiles are known to hold, in the order of the ids: the content hash of each one's entry,
-- the digests that are kept of its sections, and how large its document is.
-- Parameters: $1 ids bigint[]
-- Result: place bigint, content_sha256 bytea, sections bytea, archived boolean,
--     document_bytes integer
SELECT i.place, e.content_sha256, c.sections, ledger_month_archive(p.recorded_on) IS NOT NULL,
       octet_length(d.document)
FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
JOIN profiles p ON p.id = i.id
LEFT JOIN entries e ON e.kind = 'profile' AND e.subject_id = i.id
LEFT JOIN content_sections c ON c.profile_id = i.id
LEFT JOIN summaries d ON d.profile_id = i.id AND d.recorded_on = p.recorded_on
ORDER BY i.place;
