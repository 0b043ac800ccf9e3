-- What is called by a hash and is not what the hash says, or belongs to no profile.
-- Parameters: none
-- Result: what text
SELECT 'op signature ' || o.id FROM op_signatures o
WHERE substring(sha256(convert_to(o.signature, 'UTF8')) FOR 16) <> uuid_send(o.id)
   OR o.introduced_by IS NULL
UNION ALL
SELECT 'policy ' || encode(p.sha256, 'hex') FROM policies p
WHERE sha256(convert_to(p.document, 'UTF8')) <> p.sha256
LIMIT 20;
