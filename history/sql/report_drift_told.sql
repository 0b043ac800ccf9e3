-- The last report of a name that told readers of a drift: one that overlaps the time and goes the
-- same way; of one that only went on there, where it was told as news, if that was kept.
-- Parameters: $1 project text, $2 name text, $3 until_at timestamptz, $4 measure text,
--   $5 branch text, $6 workloads text, $7 series text, $8 from_utc timestamptz,
--   $9 until_utc timestamptz, $10 rises boolean
-- Result: report text, until_utc text, before float8, after float8
SELECT CASE WHEN d.is_news OR d.item -> 'told' IS NULL THEN 'rp' || r.id
            ELSE d.item #>> '{told,report}' END,
       CASE WHEN d.is_news OR d.item -> 'told' IS NULL THEN k.document ->> 'until_utc'
            ELSE d.item #>> '{told,until_utc}' END,
       CASE WHEN d.is_news OR d.item -> 'told' IS NULL THEN (d.item ->> 'before')::float8
            ELSE (d.item #>> '{told,before}')::float8 END,
       CASE WHEN d.is_news OR d.item -> 'told' IS NULL THEN (d.item ->> 'after')::float8
            ELSE (d.item #>> '{told,after}')::float8 END
FROM (SELECT r.id, r.until_at, r.document FROM projects j JOIN reports r ON r.project_id = j.id
      WHERE j.name = $1 AND r.name = $2 AND r.until_at < $3::timestamptz
        AND r.until_at > $8::timestamptz
      ORDER BY r.until_at DESC) r -- one after the other: a document may be large
CROSS JOIN LATERAL (SELECT r.document::jsonb AS document OFFSET 0) k
CROSS JOIN LATERAL (
    SELECT item, true AS is_news FROM jsonb_array_elements(k.document -> 'drifts') item
    UNION ALL
    SELECT item, false FROM jsonb_array_elements(k.document -> 'drifting') item) d
WHERE k.document ->> 'measure' = $4
  AND k.document ->> 'branch' IS NOT DISTINCT FROM $5::text
  AND k.document ->> 'workloads' IS NOT DISTINCT FROM $6::text
  AND d.item ->> 'series' = $7
  AND (d.item ->> 'from_utc')::timestamptz <= $9::timestamptz
  AND (d.item ->> 'until_utc')::timestamptz >= $8::timestamptz
  AND ((d.item ->> 'after')::float8 > (d.item ->> 'before')::float8) = $10::boolean
ORDER BY r.until_at DESC LIMIT 1;
