-- What a verdict was made from; its policy is there already.
-- Parameters: $1 verdict_id bigint, $2 policy_sha256 text, $3 document text
-- Result: none
INSERT INTO verdict_requests (verdict_id, policy, document) VALUES ($1, decode($2, 'hex'), $3);
