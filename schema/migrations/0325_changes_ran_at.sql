-- 0325: when the first run of a new level was captured, beside when it was recorded.
CREATE OR REPLACE VIEW data_changes AS
SELECT DISTINCT ON (c.series_id, c.measure, c.at_profile_id)
       j.name AS project, s.workload, 's' || s.id AS series, 'k' || c.id AS change, c.status,
       measure_name(c.measure) AS measure, 'p' || c.at_profile_id AS at_profile,
       p.recorded_at AS "time", p.branch, p.commit_sha AS commit, c.before_value, c.after_value,
       100 * (c.after_value - c.before_value) / nullif(c.before_value, 0) AS change_pct, c.method,
       coalesce(o.recorded_at, c.recorded_at) AS said_at,
       coalesce(profile_captured_at(p.id), p.recorded_at) AS ran_at
FROM change_points c
JOIN series s ON s.id = c.series_id
JOIN projects j ON j.id = s.project_id
LEFT JOIN present_profiles p ON p.id = c.at_profile_id
LEFT JOIN origins o ON o.kind = 'change_point' AND o.subject_id = c.id
ORDER BY c.series_id, c.measure, c.at_profile_id, c.id DESC;
COMMENT ON COLUMN data_changes."time" IS 'when the first run of the new level was recorded';
COMMENT ON COLUMN data_changes.ran_at IS 'when the first run of the new level was captured, as '
    'people say or by its own clock; else when it was recorded';
