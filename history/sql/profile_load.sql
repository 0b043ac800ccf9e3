-- A profile with its document, which is NULL when its month is in an archive. branch, commit and
-- label are the first that were ever said of it.
-- Parameters: $1 id bigint
-- Result: id bigint, project text, workload text, series_id bigint, run text, branch text,
--     commit_sha text, label text, recorded_at timestamptz, document text
SELECT p.id, j.name, s.workload, p.series_id, p.run,
       (SELECT e.branch FROM profile_events e
        WHERE e.profile_id = p.id AND e.branch IS NOT NULL ORDER BY e.id LIMIT 1),
       (SELECT e.commit_sha FROM profile_events e
        WHERE e.profile_id = p.id AND e.commit_sha IS NOT NULL ORDER BY e.id LIMIT 1),
       (SELECT e.label FROM profile_events e
        WHERE e.profile_id = p.id AND e.label IS NOT NULL ORDER BY e.id LIMIT 1),
       p.recorded_at, d.document
FROM profiles p
JOIN projects j ON j.id = p.project_id
JOIN series s ON s.id = p.series_id
LEFT JOIN summaries d ON d.profile_id = p.id AND d.recorded_on = p.recorded_on
WHERE p.id = $1;
