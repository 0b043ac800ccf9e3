-- Reports, the newest first, with how much each tells.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 commit text, $5 run text,
--     $6 status text, $7 since_us bigint, $8 row_limit bigint
-- Result: report text, name text, project text, since_utc timestamptz, until_utc timestamptz,
--     losses bigint, improvements bigint, drifts bigint, headline text,
--     recorded_at_utc timestamptz
SELECT 'rp' || r.id AS report, r.name, j.name AS project, r.since_at AS since_utc,
       r.until_at AS until_utc, jsonb_array_length(d.document -> 'losses')::bigint AS losses,
       jsonb_array_length(d.document -> 'improvements')::bigint AS improvements,
       jsonb_array_length(d.document -> 'drifts')::bigint AS drifts,
       d.document #>> '{headlines,0}' AS headline,
       coalesce(o.recorded_at, r.recorded_at) AS recorded_at_utc
FROM reports r
JOIN projects j ON j.id = r.project_id
CROSS JOIN LATERAL (SELECT r.document::jsonb AS document OFFSET 0) d
LEFT JOIN origins o ON o.kind = 'report' AND o.subject_id = r.id
WHERE ($1::text IS NULL OR j.name = $1) AND $2::text IS NULL AND $3::text IS NULL
  AND $4::text IS NULL AND $5::text IS NULL AND $6::text IS NULL
  AND ($7::bigint IS NULL OR extract(epoch FROM r.recorded_at) * 1000000 >= $7)
ORDER BY r.id DESC LIMIT $8;
