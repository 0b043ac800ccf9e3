-- Profiles without their documents, in the order of the ids. branch, commit and label are the first
-- that were ever said of each.
-- Parameters: $1 ids bigint[]
-- Result: id bigint, series_id bigint, run text, branch text, commit_sha text, label text,
--     recorded_at timestamptz, trace_sha256 text, breakdown_mode text, device_type text,
--     device_count bigint, host_count bigint, topology text, definition_version bigint
SELECT p.id, p.series_id, p.run,
       (SELECT e.branch FROM profile_events e
        WHERE e.profile_id = p.id AND e.branch IS NOT NULL ORDER BY e.id LIMIT 1),
       (SELECT e.commit_sha FROM profile_events e
        WHERE e.profile_id = p.id AND e.commit_sha IS NOT NULL ORDER BY e.id LIMIT 1),
       (SELECT e.label FROM profile_events e
        WHERE e.profile_id = p.id AND e.label IS NOT NULL ORDER BY e.id LIMIT 1),
       p.recorded_at, encode(p.trace_sha256, 'hex'), p.breakdown_mode, s.device_type,
       s.device_count, s.host_count, s.topology, s.definition_version
FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
JOIN profiles p ON p.id = i.id
JOIN series s ON s.id = p.series_id
ORDER BY i.place;
