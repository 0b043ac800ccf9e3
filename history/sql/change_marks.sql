-- What was said before as_of_us of each place at which a measure of a workload changed its level,
-- the last word of a place first: the content hash of each one's entry, where it came from, then
-- its content as content_change_point.sql has it.
-- Parameters: $1 project text, $2 workload text, $3 as_of_us bigint
-- Result: id bigint, of_profile bigint, content_sha256 bytea, origin_id bigint,
--     origin_at timestamptz, origin_by text, content_id bigint, series_id bigint, measure integer,
--     at_profile_id bigint, status text, before_value float8, after_value float8, method text,
--     evidence text, recorded_at timestamptz, recorded_by text
SELECT c.id, c.at_profile_id,
       (SELECT e.content_sha256 FROM entries e
        WHERE e.kind = 'change_point' AND e.subject_id = c.id),
       o.subject_id, o.recorded_at, o.recorded_by,
       c.id, c.series_id, c.measure, c.at_profile_id, c.status, c.before_value, c.after_value,
       c.method, c.evidence, c.recorded_at, c.recorded_by
FROM projects j
JOIN series s ON s.project_id = j.id AND ($2::text IS NULL OR s.workload = $2)
JOIN change_points c ON c.series_id = s.id
LEFT JOIN origins o ON o.kind = 'change_point' AND o.subject_id = c.id
WHERE j.name = $1
  AND coalesce(o.recorded_at, c.recorded_at)
      < coalesce(to_timestamp($3::bigint / 1000000.0), 'infinity')
ORDER BY c.series_id, c.measure, c.at_profile_id, c.id DESC;
