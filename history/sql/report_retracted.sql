-- What reports of a name told (losses and improvements, and where they came elsewhere) of series of
-- which profiles were retracted in a time: what no later one took back, with how many runs were
-- retracted, and why, where that is one reason.
-- Parameters: $1 project text, $2 name text, $3 until_at timestamptz, $4 measure text,
--   $5 branch text, $6 workloads text, $7 retracted_from_us bigint, $8 retracted_until_us bigint
-- Result: report text, workload text, series text, at_profile text, at_commit text, at_utc text,
--   before float8, after float8, run_count bigint, reason text
WITH gone AS MATERIALIZED (
    SELECT 's' || a.series_id AS series, count(DISTINCT a.run) AS run_count,
           CASE WHEN min(a.reason) = max(a.reason) THEN min(a.reason) END AS reason,
           min(coalesce(w.recorded_at, p.recorded_at)) AS recorded_at
    FROM projects j JOIN series s ON s.project_id = j.id JOIN amendments a ON a.series_id = s.id
    JOIN profiles p ON p.id = a.profile_id
    LEFT JOIN origins w ON w.kind = 'profile' AND w.subject_id = p.id
    LEFT JOIN origins o ON o.kind = 'amendment' AND o.subject_id = a.id
    WHERE j.name = $1 AND a.action = 'retract'
      AND coalesce(o.recorded_at, a.recorded_at) >= to_timestamp($7::bigint / 1000000.0)
      AND coalesce(o.recorded_at, a.recorded_at) < to_timestamp($8::bigint / 1000000.0)
    GROUP BY a.series_id
),
kept AS MATERIALIZED ( -- what may rest on those runs, and of a document no more than is asked
    SELECT r.id, r.until_at, k.document -> 'losses' AS losses,
           k.document -> 'improvements' AS improvements, k.document -> 'withdrawn' AS withdrawn
    FROM projects j JOIN reports r ON r.project_id = j.id
    CROSS JOIN LATERAL (SELECT r.document::jsonb AS document OFFSET 0) k
    WHERE j.name = $1 AND r.name = $2 AND r.until_at < $3::timestamptz
      AND r.until_at > (SELECT min(recorded_at) FROM gone)
      AND k.document ->> 'measure' = $4
      AND k.document ->> 'branch' IS NOT DISTINCT FROM $5::text
      AND k.document ->> 'workloads' IS NOT DISTINCT FROM $6::text
),
words AS (
    SELECT k.id, k.until_at, item, true AS is_told, item ->> 'at_profile' AS at_profile,
           CASE WHEN item ->> 'at_profile' = item ->> 'until_profile'
                THEN item ->> 'until_commit' END AS at_commit,
           item ->> 'at_utc' AS at_utc
    FROM kept k
    CROSS JOIN LATERAL (SELECT jsonb_array_elements(k.losses) AS item
                        UNION ALL
                        SELECT jsonb_array_elements(k.improvements)) t
    UNION ALL
    SELECT k.id, k.until_at, item, is_told,
           CASE WHEN is_told THEN item #>> '{moved_to,at_profile}' ELSE item ->> 'at_profile' END,
           CASE WHEN is_told THEN item #>> '{moved_to,until_commit}' END,
           CASE WHEN is_told THEN item #>> '{moved_to,until_utc}' END
    FROM kept k
    CROSS JOIN LATERAL jsonb_array_elements(k.withdrawn) item
    CROSS JOIN (VALUES (false), (true)) AS sides (is_told)
    WHERE NOT is_told OR item -> 'moved_to' IS NOT NULL
),
last_words AS (
    SELECT DISTINCT ON (item ->> 'series', at_profile) *
    FROM words ORDER BY item ->> 'series', at_profile, until_at DESC
)
SELECT 'rp' || w.id, w.item ->> 'workload', w.item ->> 'series', w.at_profile, w.at_commit,
       w.at_utc, (w.item ->> 'before')::float8, (w.item ->> 'after')::float8, g.run_count, g.reason
FROM last_words w JOIN gone g ON g.series = w.item ->> 'series'
WHERE w.is_told
ORDER BY w.until_at, w.at_utc, w.at_profile;
