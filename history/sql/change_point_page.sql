-- Change points behind an id, as they were appended, with when and by whom they were recorded
-- first.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint, series_id bigint, measure integer, at_profile_id bigint, status text,
--     before_value float8, after_value float8, method text, evidence text,
--     recorded_at timestamptz, recorded_by text
SELECT c.id, c.series_id, c.measure, c.at_profile_id, c.status, c.before_value, c.after_value,
       c.method, c.evidence, coalesce(o.recorded_at, c.recorded_at),
       coalesce(o.recorded_by, entry_author('change_point', c.id, c.recorded_by))
FROM change_points c
LEFT JOIN origins o ON o.kind = 'change_point' AND o.subject_id = c.id
WHERE c.id > $1 ORDER BY c.id LIMIT $2;
