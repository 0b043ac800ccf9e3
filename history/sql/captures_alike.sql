-- The profiles of a workload that are of a format, and whose steps and ops last as long as they do
-- elsewhere, to the nanosecond: the same capture in another form. Of hosts alone nobody knows what
-- ops last ($6 NULL). What was retracted says why, and comes behind what counts.
-- Parameters: $1 project text, $2 workload text, $3 format text, $4 steps float8,
--     $5 step_us float8, $6 ops_us float8
-- Result: profile_id bigint, run text, branch text, commit_sha text, retracted text
SELECT p.id, p.run, p.branch, p.commit_sha,
       CASE WHEN p.retracted_at IS NOT NULL THEN p.reason END
FROM profiles r
JOIN present_profiles p ON p.id = r.id AND p.superseded_by IS NULL
JOIN measures s ON s.profile_id = r.id AND s.series_id = r.series_id AND s.measure = 6
    AND s.value = $4
JOIN measures m ON m.profile_id = r.id AND m.series_id = r.series_id AND m.measure = 26
    AND abs(m.value - $5) <= 0.001
LEFT JOIN measures o ON o.profile_id = r.id AND o.series_id = r.series_id AND o.measure = 24
WHERE r.source_format = $3
  AND (o.value IS NULL AND $6::float8 IS NULL
       OR abs(o.value - $6) <= 0.001 + 0.000001 * $6::float8)
  AND r.series_id = ANY (ARRAY(SELECT n.id FROM series n JOIN projects j ON j.id = n.project_id
                               WHERE j.name = $1 AND n.workload = $2))
ORDER BY p.retracted_at IS NOT NULL, p.id;
