-- What a verdict was made from, and the text of its policy.
-- Parameters: $1 verdict_id bigint
-- Result: document text, policy text
SELECT r.document, p.document FROM verdict_requests r JOIN policies p ON p.sha256 = r.policy
WHERE r.verdict_id = $1;
