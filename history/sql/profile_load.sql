-- A profile as it stands now, with its document, which is NULL when its month is in an archive.
-- branch, commit and label are the first that count. A document of more than most_bytes is not
-- there, its size is.
-- Plan: once
-- Parameters: $1 id bigint, $2 most_bytes bigint
-- Result: id bigint, project text, workload text, series_id bigint, run text, branch text,
--     commit_sha text, label text, recorded_at timestamptz, document text, document_bytes integer,
--     retracted_at timestamptz, superseded_by bigint, reason text, captured_at timestamptz,
--     ran_at timestamptz
SELECT p.id, j.name, s.workload, p.series_id, p.run, p.branch, p.commit_sha, p.label,
       p.recorded_at, CASE WHEN octet_length(d.document) <= $2::bigint THEN d.document END,
       octet_length(d.document), p.retracted_at, p.superseded_by, p.reason,
       (SELECT t.captured_at FROM capture_times t WHERE t.profile_id = p.id), p.ran_at
FROM present_profiles p
JOIN projects j ON j.id = p.project_id
JOIN series s ON s.id = p.series_id
LEFT JOIN summaries d ON d.profile_id = p.id AND d.recorded_on = p.recorded_on
WHERE p.id = $1;
