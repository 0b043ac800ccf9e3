-- A new profile with the event that says where its bytes belong, unless the workload has another
-- present profile of them than the one that is to be superseded (no row then). Without a run it is
-- a run of its own, named by its id. The columns of the result are those of content_profile.sql,
-- then those of content_event.sql.
-- Parameters: $1 project_id bigint, $2 series_id bigint, $3 run text, $4 trace_sha256 text,
--     $5 schema_version text, $6 source_format text, $7 source_path text,
--     $8 producer_version text, $9 breakdown_mode text, $10 branch text, $11 commit_sha text,
--     $12 label text, $13 workload text, $14 known_id bigint
-- Result: id bigint, project text, workload text, device_type text,
--     device_count bigint, host_count bigint, topology text, definition_version bigint,
--     project_id bigint, series_id bigint, run text, trace_sha256 bytea, schema_version text,
--     source_format text, source_path text, producer_version text, breakdown_mode text,
--     recorded_at timestamptz, recorded_by text, event_id bigint, event_profile_id bigint,
--     branch text, commit_sha text, label text, event_recorded_at timestamptz,
--     event_recorded_by text
WITH added AS (
    INSERT INTO profiles (project_id, series_id, run, trace_sha256, schema_version, source_format,
                          source_path, producer_version, breakdown_mode)
    SELECT $1, $2, $3, decode($4, 'hex'), $5, $6, $7, $8, $9
    WHERE NOT EXISTS (
        SELECT FROM present_profiles k
        WHERE k.trace_sha256 = decode($4, 'hex') AND k.project_id = $1
          AND k.superseded_by IS NULL AND k.id IS DISTINCT FROM $14
          AND k.series_id IN (SELECT s.id FROM series s
                              WHERE s.project_id = $1 AND s.workload = $13))
    RETURNING *
),
event AS (
    INSERT INTO profile_events (profile_id, branch, commit_sha, label)
    SELECT added.id, $10, $11, $12 FROM added
    RETURNING *
)
SELECT p.id, j.name, s.workload, s.device_type, s.device_count, s.host_count, s.topology,
       s.definition_version, p.project_id, p.series_id, p.run, p.trace_sha256, p.schema_version,
       p.source_format, p.source_path, p.producer_version, p.breakdown_mode, p.recorded_at,
       p.recorded_by, e.id, e.profile_id, e.branch, e.commit_sha, e.label, e.recorded_at,
       e.recorded_by
FROM added p
JOIN event e ON e.profile_id = p.id
JOIN projects j ON j.id = p.project_id
JOIN series s ON s.id = p.series_id;
