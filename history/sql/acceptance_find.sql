-- The newest acceptance of a change, who said it first, and the verdict that it took.
-- Parameters: $1 project text, $2 workload text, $3 change_key text
-- Result: id bigint, verdict_id bigint, reason text, recorded_by text,
--     document text
SELECT a.id, a.verdict_id, a.reason,
       coalesce(o.recorded_by, entry_author('acceptance', a.id, a.recorded_by)),
       v.document::text
FROM acceptances a
JOIN projects j ON j.id = a.project_id
JOIN verdicts v ON v.id = a.verdict_id
LEFT JOIN origins o ON o.kind = 'acceptance' AND o.subject_id = a.id
WHERE j.name = $1 AND a.workload = $2 AND a.change_key = $3
ORDER BY a.id DESC LIMIT 1;
