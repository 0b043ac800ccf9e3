-- What is thought of each place at which a measure of a workload changed its level: the last word
-- about it before as_of_us.
-- Parameters: $1 project text, $2 workload text, $3 as_of_us bigint
-- Result: id bigint, series_id bigint, measure integer, at_profile_id bigint, status text,
--     method text, before_value float8, after_value float8
SELECT DISTINCT ON (c.series_id, c.measure, c.at_profile_id)
       c.id, c.series_id, c.measure, c.at_profile_id, c.status, c.method,
       c.before_value, c.after_value
FROM projects j
JOIN series s ON s.project_id = j.id AND ($2::text IS NULL OR s.workload = $2)
JOIN change_points c ON c.series_id = s.id
LEFT JOIN origins o ON o.kind = 'change_point' AND o.subject_id = c.id
WHERE j.name = $1
  AND coalesce(o.recorded_at, c.recorded_at)
      < coalesce(to_timestamp($3::bigint / 1000000.0), 'infinity')
ORDER BY c.series_id, c.measure, c.at_profile_id, c.id DESC;
