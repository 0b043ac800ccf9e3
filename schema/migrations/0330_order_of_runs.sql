-- 0330: runs stand in the order in which they were captured.
--
-- A past that is taken in late, or the newest run first, is the same past. The order's key is
-- (ran_at, place): when the profile was captured, as people say or by its own clock, but not behind
-- its recording, which no capture is; where neither tells, when it was recorded. Of equal times the
-- one that was recorded first goes ahead. What says how profiles stand, says it.

CREATE OR REPLACE VIEW present_profiles AS
SELECT q.*, least((SELECT t.captured_at FROM capture_times t WHERE t.profile_id = q.id),
                  q.recorded_at) AS ran_at
FROM (
    SELECT p.id, p.project_id, p.series_id, p.series_id AS recorded_series_id, p.run,
           p.trace_sha256,
           (SELECT e.branch FROM profile_events e
            WHERE e.profile_id = p.id AND e.branch IS NOT NULL ORDER BY e.id LIMIT 1) AS branch,
           (SELECT e.commit_sha FROM profile_events e
            WHERE e.profile_id = p.id AND e.commit_sha IS NOT NULL ORDER BY e.id LIMIT 1)
               AS commit_sha,
           (SELECT e.label FROM profile_events e
            WHERE e.profile_id = p.id AND e.label IS NOT NULL ORDER BY e.id LIMIT 1) AS label,
           CASE WHEN EXISTS (SELECT FROM amendments b WHERE b.superseded_by = p.id)
               THEN (SELECT coalesce(fo.recorded_at, f.recorded_at)
                     FROM profiles f
                     LEFT JOIN origins fo ON fo.kind = 'profile' AND fo.subject_id = f.id
                     WHERE f.id = ledger_place(p.id))
               ELSE coalesce(o.recorded_at, p.recorded_at) END AS recorded_at,
           p.recorded_on,
           NULL::timestamptz AS retracted_at, NULL::bigint AS superseded_by, NULL::text AS reason,
           CASE WHEN EXISTS (SELECT FROM amendments b WHERE b.superseded_by = p.id)
               THEN ledger_place(p.id) ELSE p.id END AS place
    FROM profiles p
    LEFT JOIN origins o ON o.kind = 'profile' AND o.subject_id = p.id
    WHERE NOT EXISTS (SELECT FROM amendments a WHERE a.profile_id = p.id)
    UNION ALL
    SELECT p.id, p.project_id, a.series_id, p.series_id, a.run, p.trace_sha256,
           coalesce(a.branch,
                    (SELECT e.branch FROM profile_events e
                     WHERE e.profile_id = p.id AND e.id > a.branch_after AND e.branch IS NOT NULL
                     ORDER BY e.id LIMIT 1)),
           coalesce(a.commit_sha,
                    (SELECT e.commit_sha FROM profile_events e
                     WHERE e.profile_id = p.id AND e.id > a.commit_after
                       AND e.commit_sha IS NOT NULL
                     ORDER BY e.id LIMIT 1)),
           coalesce(a.label,
                    (SELECT e.label FROM profile_events e
                     WHERE e.profile_id = p.id AND e.id > a.label_after AND e.label IS NOT NULL
                     ORDER BY e.id LIMIT 1)),
           CASE WHEN EXISTS (SELECT FROM amendments b WHERE b.superseded_by = p.id)
               THEN (SELECT coalesce(fo.recorded_at, f.recorded_at)
                     FROM profiles f
                     LEFT JOIN origins fo ON fo.kind = 'profile' AND fo.subject_id = f.id
                     WHERE f.id = ledger_place(p.id))
               ELSE coalesce(o.recorded_at, p.recorded_at) END,
           p.recorded_on,
           CASE WHEN a.retracted THEN coalesce(ao.recorded_at, a.recorded_at) END,
           a.superseded_by, a.reason,
           CASE WHEN EXISTS (SELECT FROM amendments b WHERE b.superseded_by = p.id)
               THEN ledger_place(p.id) ELSE p.id END
    FROM last_amendments a
    JOIN profiles p ON p.id = a.profile_id
    LEFT JOIN origins o ON o.kind = 'profile' AND o.subject_id = p.id
    LEFT JOIN origins ao ON ao.kind = 'amendment' AND ao.subject_id = a.id) q;

DROP FUNCTION profiles_at(timestamptz);

-- Ask by recorded_series_id, which is read by its index.
CREATE FUNCTION profiles_at(at timestamptz)
RETURNS TABLE (id bigint, place bigint, run text, series_id bigint, recorded_series_id bigint,
               recorded_at timestamptz, recorded_on date, branch text, commit_sha text,
               retracted boolean, superseded_by bigint, ran_at timestamptz)
STABLE LANGUAGE sql
BEGIN ATOMIC
SELECT p.id, f.id, coalesce(a.run, p.run), coalesce(a.series_id, p.series_id), p.series_id,
       coalesce(o.recorded_at, f.recorded_at), p.recorded_on,
       coalesce(a.branch,
                (SELECT e.branch FROM stepledger.events_at(at) e
                 WHERE e.profile_id = p.id AND e.id > coalesce(a.branch_after, 0)
                   AND e.branch IS NOT NULL
                 ORDER BY e.id LIMIT 1)),
       coalesce(a.commit_sha,
                (SELECT e.commit_sha FROM stepledger.events_at(at) e
                 WHERE e.profile_id = p.id AND e.id > coalesce(a.commit_after, 0)
                   AND e.commit_sha IS NOT NULL
                 ORDER BY e.id LIMIT 1)),
       coalesce(a.retracted, false), a.superseded_by,
       least((SELECT t.captured_at FROM stepledger.capture_times t WHERE t.profile_id = p.id),
             coalesce(o.recorded_at, f.recorded_at))
FROM stepledger.profiles p
LEFT JOIN LATERAL (
    SELECT n.* FROM stepledger.amendments_at(at) n WHERE n.profile_id = p.id
    ORDER BY n.ordinal DESC LIMIT 1) a ON true
JOIN stepledger.profiles f ON f.id =
    CASE WHEN EXISTS (SELECT FROM stepledger.amendments b WHERE b.superseded_by = p.id)
         THEN stepledger.ledger_place_at(p.id, at) ELSE p.id END
LEFT JOIN stepledger.origins o ON o.kind = 'profile' AND o.subject_id = f.id;
END;

-- Where a word that names a profile stands among runs, by what was said before `at`: it goes with
-- what counts in the profile's place. No row: there is no such profile.
CREATE FUNCTION run_order_at(profile_id bigint, at timestamptz)
RETURNS TABLE (ran_at timestamptz, place bigint)
STABLE LANGUAGE sql
BEGIN ATOMIC
SELECT p.ran_at, p.place
FROM stepledger.profiles_at(at) p
WHERE p.id = (
    WITH RECURSIVE line (id) AS (
        SELECT run_order_at.profile_id
        UNION
        SELECT a.superseded_by FROM line l
        CROSS JOIN LATERAL (
            SELECT n.superseded_by FROM stepledger.amendments_at(run_order_at.at) n
            WHERE n.profile_id = l.id ORDER BY n.ordinal DESC LIMIT 1) a
        WHERE a.superseded_by IS NOT NULL)
    SELECT max(l.id) FROM line l);
END;

CREATE OR REPLACE VIEW data_runs AS
SELECT j.name AS project, s.workload, 's' || s.id AS series, p.run,
       max(p.recorded_at) AS "time",
       (array_agg(p.branch ORDER BY o.ran_at DESC, p.place DESC))[1] AS branch,
       (array_agg(p.commit_sha ORDER BY o.ran_at DESC, p.place DESC))[1] AS commit,
       'p' || (array_agg(p.id ORDER BY o.ran_at DESC, p.place DESC))[1] AS profile,
       count(DISTINCT p.id) AS profiles,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY u.value) FILTER (WHERE m.measure = 7)
           AS step_time_us,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY u.value) FILTER (WHERE m.measure = 8)
           AS step_p90_us,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY u.value) FILTER (WHERE m.measure = 26)
           AS step_mean_us,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY u.value) FILTER (WHERE m.measure = 9)
           AS step_idle_us,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY u.value) FILTER (WHERE m.measure = 15)
           AS device_busy_share,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY u.value) FILTER (WHERE m.measure = 18)
           AS exposed_communication_share,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY u.value) FILTER (WHERE m.measure = 21)
           AS device_skew,
       max(o.ran_at) AS ran_at
FROM present_profiles p
JOIN series s ON s.id = p.series_id
JOIN projects j ON j.id = s.project_id
JOIN measures m ON m.series_id = p.recorded_series_id AND m.profile_id = p.id
    AND m.measure = ANY (ARRAY[7, 8, 9, 15, 18, 21, 26])
CROSS JOIN LATERAL (SELECT p.ran_at OFFSET 0) o
CROSS JOIN LATERAL (SELECT measure_usual(m.value) AS value) u
WHERE p.retracted_at IS NULL AND p.superseded_by IS NULL
GROUP BY j.name, s.workload, s.id, p.run;
COMMENT ON COLUMN data_runs.ran_at IS 'when its newest profile was captured, as people say or by '
    'its own clock, but not behind its recording; else when it was recorded: what runs stand by';

CREATE OR REPLACE VIEW data_measures AS
SELECT j.name AS project, s.workload, 's' || s.id AS series, p.run, 'p' || p.id AS profile,
       p.recorded_at AS "time", p.branch, p.commit_sha AS commit,
       measure_name(m.measure) AS measure, measure_usual(m.value) AS value,
       p.ran_at
FROM present_profiles p
JOIN series s ON s.id = p.series_id
JOIN projects j ON j.id = s.project_id
JOIN measures m ON m.series_id = p.recorded_series_id AND m.profile_id = p.id
WHERE p.retracted_at IS NULL AND p.superseded_by IS NULL;
COMMENT ON COLUMN data_measures.ran_at IS 'when it was captured, as people say or by its own '
    'clock, but not behind its recording; else when it was recorded';

CREATE OR REPLACE VIEW data_changes AS
SELECT DISTINCT ON (c.series_id, c.measure, c.at_profile_id)
       j.name AS project, s.workload, 's' || s.id AS series, 'k' || c.id AS change, c.status,
       measure_name(c.measure) AS measure, 'p' || c.at_profile_id AS at_profile,
       p.recorded_at AS "time", p.branch, p.commit_sha AS commit, c.before_value, c.after_value,
       100 * (c.after_value - c.before_value) / nullif(c.before_value, 0) AS change_pct, c.method,
       coalesce(o.recorded_at, c.recorded_at) AS said_at,
       p.ran_at
FROM change_points c
JOIN series s ON s.id = c.series_id
JOIN projects j ON j.id = s.project_id
LEFT JOIN present_profiles p ON p.id = c.at_profile_id
LEFT JOIN origins o ON o.kind = 'change_point' AND o.subject_id = c.id
ORDER BY c.series_id, c.measure, c.at_profile_id, c.id DESC;
COMMENT ON COLUMN data_changes.ran_at IS 'when the first run of the new level was captured, as '
    'people say or by its own clock, but not behind its recording; else when it was recorded';
