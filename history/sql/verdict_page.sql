-- Verdicts behind an id, with what they can be made again from.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint, document text, request text, policy text
SELECT v.id, v.document, r.document, p.document
FROM verdicts v
LEFT JOIN verdict_requests r ON r.verdict_id = v.id
LEFT JOIN policies p ON p.sha256 = r.policy
WHERE v.id > $1 ORDER BY v.id LIMIT $2;
