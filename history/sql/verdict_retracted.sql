-- The profiles of a verdict that were retracted later, they or what took their place.
-- Parameters: $1 verdict_id bigint
-- Result: profile_id bigint, side text, reason text
SELECT i.profile_id, i.side, r.reason
FROM verdict_inputs i
CROSS JOIN LATERAL profile_retraction(i.profile_id) AS r (reason)
WHERE i.verdict_id = $1 AND r.reason IS NOT NULL
ORDER BY i.side DESC, i.profile_id;
