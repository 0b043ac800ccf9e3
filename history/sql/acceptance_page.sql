-- Acceptances behind an id, with when and by whom they were recorded first.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint, verdict_id bigint, change_key text, reason text, recorded_at timestamptz,
--     recorded_by text
SELECT a.id, a.verdict_id, a.change_key, a.reason, coalesce(o.recorded_at, a.recorded_at),
       coalesce(o.recorded_by, entry_author('acceptance', a.id, a.recorded_by))
FROM acceptances a
LEFT JOIN origins o ON o.kind = 'acceptance' AND o.subject_id = a.id
WHERE a.id > $1 ORDER BY a.id LIMIT $2;
