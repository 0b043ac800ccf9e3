-- Verdicts behind an id, with what they can be made again from, and when and by whom they were
-- recorded.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint, document text, request text, policy text, recorded_at timestamptz,
--     recorded_by text
SELECT v.id, v.document, r.document, p.document, coalesce(o.recorded_at, v.recorded_at),
       coalesce(o.recorded_by, entry_author('verdict', v.id, v.recorded_by))
FROM verdicts v
LEFT JOIN verdict_requests r ON r.verdict_id = v.id
LEFT JOIN policies p ON p.sha256 = r.policy
LEFT JOIN origins o ON o.kind = 'verdict' AND o.subject_id = v.id
WHERE v.id > $1 ORDER BY v.id LIMIT $2;
