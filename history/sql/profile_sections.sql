-- What profiles are known to hold, in the order of the ids: the content hash of each one's entry,
-- and the digests that are kept of its sections. (A month's archive is asked for once a month.)
-- Plan: once
-- Parameters: $1 ids bigint[]
-- Result: place bigint, content_sha256 bytea, sections bytea, archived boolean
WITH gone AS MATERIALIZED (
    SELECT month FROM archives GROUP BY month HAVING ledger_month_archive(month) IS NOT NULL
)
SELECT i.place, e.content_sha256, c.sections,
       date_trunc('month', p.recorded_on::timestamp)::date IN (SELECT month FROM gone)
FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
JOIN profiles p ON p.id = i.id
LEFT JOIN entries e ON e.kind = 'profile' AND e.subject_id = i.id
LEFT JOIN content_sections c ON c.profile_id = i.id
ORDER BY i.place;
