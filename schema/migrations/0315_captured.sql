-- 0315: when a profile was captured.
--
-- A folder of last year's profiles is taken in today: that is when they were recorded, and not when
-- the code ran. A profile was captured when people say (the fact captured_at, --captured-at), else
-- when its own clock says (the first of its hosts), unless that lies before September 2001 or more
-- than a day behind its recording, which no clock does that counts from 1970 and goes right.

-- A point in time as facts have it, 2026-01-05T06:00:00Z with up to six decimals; NULL: it is none.
CREATE FUNCTION time_of_fact(value text) RETURNS timestamptz STABLE LANGUAGE sql
RETURN CASE WHEN value ~ ('^(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T'
                          '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6})?Z$')
            THEN (make_timestamp(substr(value, 1, 4)::int, substr(value, 6, 2)::int, 1, 0, 0, 0)
                  + make_interval(days => substr(value, 9, 2)::int - 1,
                                  hours => substr(value, 12, 2)::int,
                                  mins => substr(value, 15, 2)::int,
                                  secs => substr(value, 18, length(value) - 18)::float8))
                 AT TIME ZONE 'UTC' END;

-- NULL: nobody says, and it does not tell.
CREATE FUNCTION profile_captured_at(profile_id bigint) RETURNS timestamptz STABLE LANGUAGE sql
RETURN coalesce(
    (SELECT time_of_fact(f.value) FROM stepledger.profile_facts f
     WHERE f.profile_id = profile_captured_at.profile_id AND f.name = 'captured_at'),
    (SELECT to_timestamp(min(h.begin_ns) / 1e9) FROM stepledger.capture_hosts h
     JOIN stepledger.profiles p ON p.id = h.profile_id
     WHERE h.profile_id = profile_captured_at.profile_id AND h.begin_ns >= 1000000000000000000
       AND h.begin_ns <= (extract(epoch FROM p.recorded_at) + 86400) * 1000000000));

CREATE OR REPLACE VIEW data_runs AS
SELECT j.name AS project, s.workload, 's' || s.id AS series, p.run,
       max(p.recorded_at) AS "time",
       (array_agg(p.branch ORDER BY p.place DESC))[1] AS branch,
       (array_agg(p.commit_sha ORDER BY p.place DESC))[1] AS commit,
       'p' || (array_agg(p.id ORDER BY p.place DESC))[1] AS profile,
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
       max(coalesce(profile_captured_at(p.id), p.recorded_at)) AS ran_at
FROM present_profiles p
JOIN series s ON s.id = p.series_id
JOIN projects j ON j.id = s.project_id
JOIN measures m ON m.series_id = p.recorded_series_id AND m.profile_id = p.id
    AND m.measure = ANY (ARRAY[7, 8, 9, 15, 18, 21, 26])
CROSS JOIN LATERAL (SELECT measure_usual(m.value) AS value) u
WHERE p.retracted_at IS NULL AND p.superseded_by IS NULL
GROUP BY j.name, s.workload, s.id, p.run;
COMMENT ON COLUMN data_runs.ran_at IS 'when its newest profile was captured, as people say or by '
    'its own clock; else when it was recorded';

CREATE OR REPLACE VIEW data_measures AS
SELECT j.name AS project, s.workload, 's' || s.id AS series, p.run, 'p' || p.id AS profile,
       p.recorded_at AS "time", p.branch, p.commit_sha AS commit,
       measure_name(m.measure) AS measure, measure_usual(m.value) AS value,
       coalesce(profile_captured_at(p.id), p.recorded_at) AS ran_at
FROM present_profiles p
JOIN series s ON s.id = p.series_id
JOIN projects j ON j.id = s.project_id
JOIN measures m ON m.series_id = p.recorded_series_id AND m.profile_id = p.id
WHERE p.retracted_at IS NULL AND p.superseded_by IS NULL;
COMMENT ON COLUMN data_measures.ran_at IS 'when it was captured, as people say or by its own '
    'clock; else when it was recorded';
