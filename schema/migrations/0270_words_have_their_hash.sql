-- 0270: words have the hash that their entry says; what an older ledger holds is read with care.
--
-- Who stores profiles says by what branch and commit they are called, and could give such a word an
-- entry with another hash: every gate whose baseline held the profile refused it, until somebody
-- said anew what the profile is called. The server makes that hash itself; a word is one row.
-- (Of profiles it does not: their rows are many. One whose entry has another hash is left out by
-- who reads it.)
CREATE FUNCTION entry_event_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    content bytea;
BEGIN
    SELECT sha256(int2send(7::int2) || stepledger.entry_value(int8send(v.id))
                  || stepledger.entry_value(int8send(v.profile_id))
                  || stepledger.entry_value(convert_to(v.branch, 'UTF8'))
                  || stepledger.entry_value(convert_to(v.commit_sha, 'UTF8'))
                  || stepledger.entry_value(convert_to(v.label, 'UTF8'))
                  || stepledger.entry_value(timestamptz_send(v.recorded_at))
                  || stepledger.entry_value(convert_to(v.recorded_by, 'UTF8')))
    INTO content FROM stepledger.profile_events v WHERE v.id = NEW.subject_id;
    IF NEW.content_sha256 IS DISTINCT FROM sha256(
            convert_to('stepledger.content.v1', 'UTF8') || decode('00', 'hex')
            || convert_to('event', 'UTF8') || decode('00', 'hex')
            || convert_to('event', 'UTF8') || decode('00', 'hex') || int8send(1) || content) THEN
        RAISE EXCEPTION 'the content hash of event % is not that of its row', NEW.subject_id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER entry_event BEFORE INSERT ON entries FOR EACH ROW
    WHEN (NEW.kind = 'event' AND NEW.content_version = 2) EXECUTE FUNCTION entry_event_check();

-- Documents of verdicts that were stored before 0226 may be none, and their numbers no numbers:
-- what reads them gets NULL instead of an error.
CREATE FUNCTION document_json(document text) RETURNS json STABLE LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN stepledger.json_is_read(document) THEN document::json END;
EXCEPTION WHEN OTHERS THEN
    RETURN NULL;
END
$$;

CREATE FUNCTION document_number(document text, path text[]) RETURNS double precision STABLE
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN stepledger.measure_usual((document::json #>> path)::double precision);
EXCEPTION WHEN OTHERS THEN
    RETURN NULL;
END
$$;

-- The number, where it can be reckoned with (0226), else NULL.
CREATE FUNCTION measure_usual(value double precision) RETURNS double precision IMMUTABLE
LANGUAGE sql
RETURN CASE WHEN value = 0 OR abs(value) BETWEEN 1e-150 AND 1e150 THEN value END;

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
           AS device_skew
FROM present_profiles p
JOIN series s ON s.id = p.series_id
JOIN projects j ON j.id = s.project_id
JOIN measures m ON m.series_id = p.recorded_series_id AND m.profile_id = p.id
    AND m.measure = ANY (ARRAY[7, 8, 9, 15, 18, 21, 26])
CROSS JOIN LATERAL (SELECT measure_usual(m.value) AS value) u
WHERE p.retracted_at IS NULL AND p.superseded_by IS NULL
GROUP BY j.name, s.workload, s.id, p.run;

CREATE OR REPLACE VIEW data_measures AS
SELECT j.name AS project, s.workload, 's' || s.id AS series, p.run, 'p' || p.id AS profile,
       p.recorded_at AS "time", p.branch, p.commit_sha AS commit,
       measure_name(m.measure) AS measure, measure_usual(m.value) AS value
FROM present_profiles p
JOIN series s ON s.id = p.series_id
JOIN projects j ON j.id = s.project_id
JOIN measures m ON m.series_id = p.recorded_series_id AND m.profile_id = p.id
WHERE p.retracted_at IS NULL AND p.superseded_by IS NULL;

CREATE OR REPLACE VIEW data_verdicts AS
SELECT j.name AS project, v.workload, 's' || v.series_id AS series, 'v' || v.id AS verdict,
       v.status, coalesce(o.recorded_at, v.recorded_at) AS "time",
       d.document #>> '{candidate,branch}' AS branch,
       d.document #>> '{candidate,commit}' AS commit,
       measure_usual(c.estimate_pct) AS change_pct,
       EXISTS (SELECT FROM acceptances a WHERE a.verdict_id = v.id) AS accepted
FROM verdicts v
JOIN projects j ON j.id = v.project_id
CROSS JOIN LATERAL (SELECT document_json(v.document) AS document OFFSET 0) d
LEFT JOIN comparisons c ON c.verdict_id = v.id AND c.ordinal = 0
LEFT JOIN origins o ON o.kind = 'verdict' AND o.subject_id = v.id;
COMMENT ON COLUMN data_runs.step_time_us IS
    'the measure steady_step_median, which gates judge; NULL: none that can be reckoned with';
