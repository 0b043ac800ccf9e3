-- Records of `track` behind an id, of one project and workload or of all, with when and by whom
-- they were recorded first.
-- Parameters: $1 after_id bigint, $2 project text, $3 workload text, $4 row_limit bigint
-- Result: id bigint, project text, workload text, document text, recorded_at timestamptz,
--     recorded_by text
SELECT t.id, j.name, t.workload, t.document, coalesce(o.recorded_at, t.recorded_at),
       coalesce(o.recorded_by, entry_author('track', t.id, t.recorded_by))
FROM track_records t
JOIN projects j ON j.id = t.project_id
LEFT JOIN origins o ON o.kind = 'track' AND o.subject_id = t.id
WHERE t.id > $1 AND ($2::text IS NULL OR j.name = $2) AND ($3::text IS NULL OR t.workload = $3)
ORDER BY t.id LIMIT $4;
