-- When a verdict was recorded (of one from another ledger: there), and the text of its policy where
-- it is kept.
-- Parameters: $1 verdict_id bigint
-- Result: recorded_at timestamptz, policy text
SELECT coalesce(o.recorded_at, v.recorded_at), p.document
FROM verdicts v
LEFT JOIN origins o ON o.kind = 'verdict' AND o.subject_id = v.id
LEFT JOIN verdict_requests r ON r.verdict_id = v.id
LEFT JOIN policies p ON p.sha256 = r.policy
WHERE v.id = $1;
