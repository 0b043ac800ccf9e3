-- Changes of level as they stand: the last word about each place, the newest word first; status
-- NULL: those that nobody has withdrawn. branch, commit and run are those of the first profile of
-- the new level.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 commit text, $5 run text,
--     $6 status text, $7 since_us bigint, $8 row_limit bigint
-- Result: change text, status text, project text, workload text, series text, at_profile text,
--     branch text, commit text, before_us float8, after_us float8, change_pct float8, method text,
--     recorded_at_utc timestamptz
WITH words AS (
    SELECT DISTINCT ON (c.series_id, c.measure, c.at_profile_id)
           c.id, c.series_id, c.at_profile_id, c.status, c.before_value, c.after_value, c.method,
           coalesce(o.recorded_at, c.recorded_at) AS recorded_at
    FROM change_points c
    LEFT JOIN origins o ON o.kind = 'change_point' AND o.subject_id = c.id
    ORDER BY c.series_id, c.measure, c.at_profile_id, c.id DESC
)
SELECT 'k' || w.id AS change, w.status, j.name AS project, s.workload, 's' || s.id AS series,
       'p' || w.at_profile_id AS at_profile, p.branch, p.commit_sha AS commit,
       w.before_value AS before_us, w.after_value AS after_us,
       100 * (w.after_value - w.before_value) / nullif(w.before_value, 0) AS change_pct,
       w.method, w.recorded_at AS recorded_at_utc
FROM words w
JOIN series s ON s.id = w.series_id
JOIN projects j ON j.id = s.project_id
LEFT JOIN present_profiles p ON p.id = w.at_profile_id
WHERE ($1::text IS NULL OR j.name = $1) AND ($2::text IS NULL OR s.workload = $2)
  AND ($3::text IS NULL OR p.branch = $3)
  AND ($4::text IS NULL OR starts_with(p.commit_sha, $4)) AND ($5::text IS NULL OR p.run = $5)
  AND CASE coalesce($6::text, 'standing')
      WHEN 'all' THEN true
      WHEN 'standing' THEN w.status <> 'withdrawn'
      ELSE w.status = $6 END
  AND ($7::bigint IS NULL OR extract(epoch FROM w.recorded_at) * 1000000 >= $7)
ORDER BY w.id DESC LIMIT $8;
