-- Reports behind an id, with when and by whom they were recorded first.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint, document text, recorded_at timestamptz, recorded_by text
SELECT r.id, r.document, coalesce(o.recorded_at, r.recorded_at),
       coalesce(o.recorded_by, entry_author('report', r.id, r.recorded_by))
FROM reports r
LEFT JOIN origins o ON o.kind = 'report' AND o.subject_id = r.id
WHERE r.id > $1 ORDER BY r.id LIMIT $2;
