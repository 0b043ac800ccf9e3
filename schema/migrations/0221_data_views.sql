-- 0221: views for dashboards (Grafana and others): names and columns that stay.
--
-- What a chart needs without knowing the ledger: each row has its time, names as people use them,
-- and numbers with their units in the columns' names. Who may read the ledger may read them;
-- nothing can be written through them. Columns may be added; none leaves or changes its meaning.

-- The name of a measure (schema/documents/measures.h); numbers are for good.
CREATE FUNCTION measure_name(number integer) RETURNS text IMMUTABLE LANGUAGE sql
SET search_path = pg_catalog, pg_temp AS $$
    SELECT (ARRAY['step_median', 'step_p90', 'step_mean', 'step_min', 'step_max', 'steady_steps',
                  'steady_step_median', 'steady_step_p90', 'step_idle', 'compute_share',
                  'communication_share', 'host_share', 'stall_share', 'other_share',
                  'device_busy_share', 'device_idle_share', 'device_compute_share',
                  'exposed_communication_share', 'overlapped_communication_share',
                  'exposed_copy_share', 'device_skew', 'op_count', 'event_count', 'op_time',
                  'steady_step_period', 'steady_step_mean'])[number];
$$;

CREATE VIEW data_runs AS
SELECT j.name AS project, s.workload, 's' || s.id AS series, p.run,
       max(p.recorded_at) AS "time",
       (array_agg(p.branch ORDER BY p.place DESC))[1] AS branch,
       (array_agg(p.commit_sha ORDER BY p.place DESC))[1] AS commit,
       'p' || (array_agg(p.id ORDER BY p.place DESC))[1] AS profile,
       count(DISTINCT p.id) AS profiles,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY m.value) FILTER (WHERE m.measure = 7)
           AS step_time_us,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY m.value) FILTER (WHERE m.measure = 8)
           AS step_p90_us,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY m.value) FILTER (WHERE m.measure = 26)
           AS step_mean_us,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY m.value) FILTER (WHERE m.measure = 9)
           AS step_idle_us,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY m.value) FILTER (WHERE m.measure = 15)
           AS device_busy_share,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY m.value) FILTER (WHERE m.measure = 18)
           AS exposed_communication_share,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY m.value) FILTER (WHERE m.measure = 21)
           AS device_skew
FROM present_profiles p
JOIN series s ON s.id = p.series_id
JOIN projects j ON j.id = s.project_id
JOIN measures m ON m.series_id = p.recorded_series_id AND m.profile_id = p.id
    AND m.measure = ANY (ARRAY[7, 8, 9, 15, 18, 21, 26])
WHERE p.retracted_at IS NULL AND p.superseded_by IS NULL
GROUP BY j.name, s.workload, s.id, p.run;
COMMENT ON VIEW data_runs IS 'runs that count, with the medians of their profiles; ask with '
    'project and workload in WHERE, which reads no others';
COMMENT ON COLUMN data_runs."time" IS 'when its newest profile was recorded first';
COMMENT ON COLUMN data_runs.step_time_us IS 'the measure steady_step_median, which gates judge';
COMMENT ON COLUMN data_runs.step_mean_us IS 'the measure steady_step_mean: slow steps and all';

CREATE VIEW data_measures AS
SELECT j.name AS project, s.workload, 's' || s.id AS series, p.run, 'p' || p.id AS profile,
       p.recorded_at AS "time", p.branch, p.commit_sha AS commit,
       measure_name(m.measure) AS measure, m.value
FROM present_profiles p
JOIN series s ON s.id = p.series_id
JOIN projects j ON j.id = s.project_id
JOIN measures m ON m.series_id = p.recorded_series_id AND m.profile_id = p.id
WHERE p.retracted_at IS NULL AND p.superseded_by IS NULL;
COMMENT ON VIEW data_measures IS 'every measure of every profile that counts, a row each';

CREATE VIEW data_changes AS
SELECT DISTINCT ON (c.series_id, c.measure, c.at_profile_id)
       j.name AS project, s.workload, 's' || s.id AS series, 'k' || c.id AS change, c.status,
       measure_name(c.measure) AS measure, 'p' || c.at_profile_id AS at_profile,
       p.recorded_at AS "time", p.branch, p.commit_sha AS commit, c.before_value, c.after_value,
       100 * (c.after_value - c.before_value) / nullif(c.before_value, 0) AS change_pct, c.method,
       coalesce(o.recorded_at, c.recorded_at) AS said_at
FROM change_points c
JOIN series s ON s.id = c.series_id
JOIN projects j ON j.id = s.project_id
LEFT JOIN present_profiles p ON p.id = c.at_profile_id
LEFT JOIN origins o ON o.kind = 'change_point' AND o.subject_id = c.id
ORDER BY c.series_id, c.measure, c.at_profile_id, c.id DESC;
COMMENT ON VIEW data_changes IS 'changes of level, the last word about each place';
COMMENT ON COLUMN data_changes."time" IS 'of the first run of the new level';
COMMENT ON COLUMN data_changes.status IS 'candidate, confirmed or withdrawn';

CREATE VIEW data_verdicts AS
SELECT j.name AS project, v.workload, 's' || v.series_id AS series, 'v' || v.id AS verdict,
       v.status, coalesce(o.recorded_at, v.recorded_at) AS "time",
       v.document::json #>> '{candidate,branch}' AS branch,
       v.document::json #>> '{candidate,commit}' AS commit,
       c.estimate_pct AS change_pct,
       EXISTS (SELECT FROM acceptances a WHERE a.verdict_id = v.id) AS accepted
FROM verdicts v
JOIN projects j ON j.id = v.project_id
LEFT JOIN comparisons c ON c.verdict_id = v.id AND c.ordinal = 0
LEFT JOIN origins o ON o.kind = 'verdict' AND o.subject_id = v.id;
COMMENT ON VIEW data_verdicts IS 'verdicts as they were recorded';
COMMENT ON COLUMN data_verdicts.change_pct IS 'of the step time; NULL: it was not compared';

CREATE VIEW data_alerts AS
SELECT DISTINCT ON (e.project_id, e.workload, v.series_id, e.branch)
       j.name AS project, e.workload, 's' || v.series_id AS series, nullif(e.branch, '') AS branch,
       'l' || first_value(e.id) OVER life AS alert, e.to_state AS status,
       first_value(coalesce(o.recorded_at, e.recorded_at)) OVER life AS opened_at,
       coalesce(o.recorded_at, e.recorded_at) AS "time", 'v' || e.verdict_id AS verdict
FROM alert_events e
JOIN projects j ON j.id = e.project_id
LEFT JOIN verdicts v ON v.id = e.verdict_id
LEFT JOIN origins o ON o.kind = 'alert' AND o.subject_id = e.id
WINDOW life AS (PARTITION BY e.project_id, e.workload, v.series_id, e.branch ORDER BY e.id)
ORDER BY e.project_id, e.workload, v.series_id, e.branch, e.id DESC;
COMMENT ON VIEW data_alerts IS 'alerts as they stand, one per workload, series and branch';
COMMENT ON COLUMN data_alerts."time" IS 'when it moved last';

CREATE VIEW data_reports AS
SELECT j.name AS project, r.name, 'rp' || r.id AS report, r.since_at AS since, r.until_at AS "time",
       jsonb_array_length(d.document -> 'losses') AS losses,
       jsonb_array_length(d.document -> 'improvements') AS improvements,
       jsonb_array_length(d.document -> 'drifts') AS drifts,
       jsonb_array_length(d.document -> 'quiet') AS quiet,
       d.document #>> '{headlines,0}' AS headline, d.document
FROM reports r
JOIN projects j ON j.id = r.project_id
CROSS JOIN LATERAL (SELECT r.document::jsonb AS document OFFSET 0) d;
COMMENT ON VIEW data_reports IS 'reports of what moved; document is trend_report.v1';

CALL ledger_grant('SELECT', ARRAY['data_runs', 'data_measures', 'data_changes', 'data_verdicts',
                                  'data_alerts', 'data_reports'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert', 'stepledger_read']);
