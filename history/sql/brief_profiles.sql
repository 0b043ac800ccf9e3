-- Profiles as they stand now, without their documents, in the order of the ids. branch, commit and
-- label are the first that count.
-- Parameters: $1 ids bigint[]
-- Result: id bigint, series_id bigint, run text, branch text, commit_sha text, label text,
--     recorded_at timestamptz, trace_sha256 text, breakdown_mode text, device_type text,
--     device_count bigint, host_count bigint, topology text, definition_version bigint
SELECT p.id, p.series_id, p.run, p.branch, p.commit_sha, p.label, p.recorded_at,
       encode(p.trace_sha256, 'hex'), h.breakdown_mode, s.device_type, s.device_count,
       s.host_count, s.topology, s.definition_version
FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
JOIN present_profiles p ON p.id = i.id
JOIN profiles h ON h.id = i.id
JOIN series s ON s.id = p.series_id
WHERE p.id = ANY ($1::bigint[])
ORDER BY i.place;
