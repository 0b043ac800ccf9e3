-- What no entry holds because it is derived, and is not what it must be: ids and hashes, the days
-- of profiles and months, ranges of leaves without gaps, and words about where something came from
-- that belong to nothing.
-- Parameters: $1 kinds_with_origin text[]
-- Result: what text
SELECT 'op signature ' || o.id FROM op_signatures o
WHERE substring(sha256(convert_to(o.signature, 'UTF8')) FOR 16) <> uuid_send(o.id)
   OR o.introduced_by IS NULL
UNION ALL
SELECT 'the hash of policy y' || p.id FROM policies p
WHERE sha256(convert_to(p.document, 'UTF8')) <> p.sha256
UNION ALL
SELECT 'the hash of record t' || t.id FROM track_records t
WHERE sha256(convert_to(t.document, 'UTF8')) <> t.document_sha256
UNION ALL
SELECT 'the day of p' || p.id FROM profiles p
WHERE p.recorded_on <> (p.recorded_at AT TIME ZONE 'UTC')::date
UNION ALL
SELECT 'the month of x' || x.id FROM archives x WHERE extract(day FROM x.month) <> 1
UNION ALL
SELECT 'the range of leaves from ' || r.first_leaf
FROM (SELECT t.*, lag(t.first_leaf + t.last_position - t.first_position + 1, 1, 0::bigint)
                      OVER (ORDER BY t.first_leaf) AS next_leaf
      FROM tree_ranges t) AS r
WHERE r.first_leaf <> r.next_leaf
   OR NOT EXISTS (SELECT FROM entries e WHERE e.chain = r.chain AND e.position = r.last_position)
UNION ALL
SELECT 'the origin of ' || o.kind || ' ' || o.subject_id FROM origins o
WHERE o.kind <> ALL ($1::text[])
   OR NOT EXISTS (SELECT FROM entries e WHERE e.kind = o.kind AND e.subject_id = o.subject_id)
LIMIT 20;
