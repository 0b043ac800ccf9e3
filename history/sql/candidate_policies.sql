-- The policies, but for one, that verdicts on some of these candidates rest on.
-- Parameters: $1 ids bigint[], $2 apart bigint[], $3 others bigint[], $4 sha256 text
-- Result: sha256 text, document text
SELECT encode(p.sha256, 'hex') AS sha256, p.document
FROM policies p
WHERE p.sha256 <> decode($4, 'hex')
  AND p.sha256 IN (SELECT v.policy_sha256
                   FROM verdict_inputs i JOIN verdicts v ON v.id = i.verdict_id
                   WHERE i.side = 'candidate'
                     AND i.profile_id = ANY ($1::bigint[] || $2::bigint[] || $3::bigint[]))
ORDER BY p.id;
