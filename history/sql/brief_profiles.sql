-- Profiles as they stand now, without their documents, in the order of the ids. branch, commit and
-- label are the first that count. The header as it was recorded comes after, from header_id on,
-- with the columns of content_profile.sql.
-- Parameters: $1 ids bigint[]
-- Result: id bigint, series_id bigint, run text, branch text, commit_sha text, label text,
--     recorded_at timestamptz, ran_at timestamptz, trace_sha256 text, breakdown_mode text,
--     device_type text, device_count bigint, host_count bigint, topology text,
--     definition_version bigint, header_id bigint, project text, workload text,
--     recorded_device_type text, recorded_device_count bigint, recorded_host_count bigint,
--     recorded_topology text, recorded_definition_version bigint, project_id bigint,
--     recorded_series_id bigint, recorded_run text, recorded_trace_sha256 bytea,
--     schema_version text, source_format text, source_path text, producer_version text,
--     recorded_breakdown_mode text, header_recorded_at timestamptz, recorded_by text
SELECT p.id, p.series_id, p.run, p.branch, p.commit_sha, p.label, p.recorded_at,
       p.ran_at, encode(p.trace_sha256, 'hex'), h.breakdown_mode, s.device_type, s.device_count,
       s.host_count, s.topology, s.definition_version,
       h.id, j.name, r.workload, r.device_type, r.device_count, r.host_count, r.topology,
       r.definition_version, h.project_id, h.series_id, h.run, h.trace_sha256, h.schema_version,
       h.source_format, h.source_path, h.producer_version, h.breakdown_mode, h.recorded_at,
       h.recorded_by
FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
JOIN present_profiles p ON p.id = i.id
JOIN profiles h ON h.id = i.id
JOIN series s ON s.id = p.series_id
JOIN series r ON r.id = h.series_id
JOIN projects j ON j.id = h.project_id
WHERE p.id = ANY ($1::bigint[])
ORDER BY i.place;
