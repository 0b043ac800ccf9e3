-- The last report of a name that told of the same measure, branch and workloads, whose period ended
-- within a later one.
-- Parameters: $1 project text, $2 name text, $3 since_at timestamptz, $4 until_at timestamptz,
--   $5 measure text, $6 branch text, $7 workloads text
-- Result: id bigint, until_at timestamptz
SELECT r.id, r.until_at FROM projects j JOIN reports r ON r.project_id = j.id
WHERE j.name = $1 AND r.name = $2
  AND r.until_at > $3::timestamptz AND r.until_at < $4::timestamptz
  AND r.document::jsonb ->> 'measure' = $5
  AND r.document::jsonb ->> 'branch' IS NOT DISTINCT FROM $6::text
  AND r.document::jsonb ->> 'workloads' IS NOT DISTINCT FROM $7::text
ORDER BY r.until_at DESC LIMIT 1;
