-- What reports of a name (NULL: those made by hand) told, losses and improvements, and where they
-- came elsewhere, of series of which in a time runs were corrected or a change was withdrawn: what
-- no later one took back, with how many of its runs do not stand any more as they did when that
-- time began, by what, and why, where that is one for all of them.
-- Parameters: $1 project text, $2 name text, $3 until_at timestamptz, $4 measure text,
--   $5 branch text, $6 workloads text, $7 said_from_us bigint, $8 said_until_us bigint,
--   $9 made_at_utc text
-- Result: report text, workload text, series text, at_profile text, at_commit text, at_utc text,
--   before float8, after float8, run_count bigint, action text, reason text
WITH said AS MATERIALIZED (
    SELECT a.*, coalesce(o.recorded_at, a.recorded_at) AS said_at
    FROM projects j JOIN profiles p ON p.project_id = j.id JOIN amendments a ON a.profile_id = p.id
    LEFT JOIN origins o ON o.kind = 'amendment' AND o.subject_id = a.id
    WHERE j.name = $1 AND a.action <> 'supersede'
      AND coalesce(o.recorded_at, a.recorded_at) < to_timestamp($8::bigint / 1000000.0)
),
corrected AS MATERIALIZED (
    SELECT p.id, coalesce(b.series_id, p.series_id) AS series_id, coalesce(b.run, p.run) AS run,
           l.reason, CASE WHEN NOT l.retracted AND coalesce(b.retracted, false) THEN 'restored'
                          WHEN l.retracted THEN 'retracted' ELSE 'amended' END AS action
    FROM (SELECT DISTINCT ON (profile_id) * FROM said ORDER BY profile_id, ordinal DESC) l
    JOIN profiles p ON p.id = l.profile_id
    LEFT JOIN (SELECT DISTINCT ON (profile_id) * FROM said
               WHERE said_at < to_timestamp($7::bigint / 1000000.0)
               ORDER BY profile_id, ordinal DESC) b ON b.profile_id = l.profile_id
    WHERE l.said_at >= to_timestamp($7::bigint / 1000000.0)
      AND (l.retracted, l.branch, l.series_id, l.run)
          IS DISTINCT FROM (coalesce(b.retracted, false), b.branch,
                            coalesce(b.series_id, p.series_id), coalesce(b.run, p.run))
),
gone AS MATERIALIZED (
    SELECT series_id, count(DISTINCT run) AS run_count,
           CASE WHEN min(action) = max(action) THEN min(action) ELSE 'corrected' END AS action,
           CASE WHEN min(reason) = max(reason) THEN min(reason) END AS reason, min(id) AS profile_id
    FROM corrected GROUP BY series_id
    UNION ALL
    SELECT c.series_id, 0, NULL, NULL, min(c.at_profile_id)
    FROM projects j JOIN series s ON s.project_id = j.id JOIN change_points c ON c.series_id = s.id
    LEFT JOIN origins o ON o.kind = 'change_point' AND o.subject_id = c.id
    WHERE j.name = $1 AND c.status = 'withdrawn'
      AND coalesce(o.recorded_at, c.recorded_at) >= to_timestamp($7::bigint / 1000000.0)
      AND coalesce(o.recorded_at, c.recorded_at) < to_timestamp($8::bigint / 1000000.0)
      AND NOT EXISTS (SELECT FROM corrected WHERE corrected.series_id = c.series_id)
    GROUP BY c.series_id
),
kept AS MATERIALIZED ( -- what may rest on those runs, and of a document no more than is asked
    SELECT r.id, r.until_at, k.document -> 'losses' AS losses,
           k.document -> 'improvements' AS improvements, k.document -> 'withdrawn' AS withdrawn
    FROM projects j JOIN reports r ON r.project_id = j.id
    CROSS JOIN LATERAL (SELECT r.document::jsonb AS document OFFSET 0) k
    WHERE j.name = $1 AND r.name IS NOT DISTINCT FROM $2::text AND r.until_at < $3::timestamptz
      AND r.until_at > (SELECT min(coalesce(w.recorded_at, p.recorded_at))
                        FROM gone g JOIN profiles p ON p.id = g.profile_id
                        LEFT JOIN origins w ON w.kind = 'profile' AND w.subject_id = p.id)
      AND k.document ->> 'made_at_utc' < $9
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
       w.at_utc, (w.item ->> 'before')::float8, (w.item ->> 'after')::float8, g.run_count, g.action,
       g.reason
FROM last_words w JOIN gone g ON 's' || g.series_id = w.item ->> 'series'
WHERE w.is_told
ORDER BY w.until_at, w.at_utc, w.at_profile;
