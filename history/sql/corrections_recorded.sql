-- The corrections that hold of the profiles of a workload, of those that left it, too, or of one
-- profile: the content hash of each one's entry, where it came from, then its content as
-- content_amendment.sql has it.
-- Parameters: $1 project text, $2 workload text, $3 profile_id bigint
-- Result: id bigint, of_profile bigint, content_sha256 bytea, origin_id bigint,
--     origin_at timestamptz, origin_by text, content_id bigint, profile_id bigint, ordinal integer,
--     action text, reason text, series_id bigint, series_workload text, run text, branch text,
--     branch_after bigint, commit_sha text, commit_after bigint, label text, label_after bigint,
--     retracted boolean, superseded_by bigint, recorded_at timestamptz, recorded_by text
WITH scope AS MATERIALIZED (
    SELECT coalesce(array_agg(s.id), '{}') AS series
    FROM projects j JOIN series s ON s.project_id = j.id AND s.workload = $2
    WHERE j.name = $1
)
SELECT a.id, a.profile_id,
       (SELECT e.content_sha256 FROM entries e WHERE e.kind = 'amendment' AND e.subject_id = a.id),
       o.subject_id, o.recorded_at, o.recorded_by,
       a.id, a.profile_id, a.ordinal, a.action, a.reason, a.series_id, s.workload, a.run,
       a.branch, a.branch_after, a.commit_sha, a.commit_after, a.label, a.label_after, a.retracted,
       a.superseded_by, a.recorded_at, a.recorded_by
FROM last_amendments a
JOIN profiles p ON p.id = a.profile_id
JOIN series s ON s.id = a.series_id
CROSS JOIN scope
LEFT JOIN LATERAL (
    SELECT f.subject_id, f.recorded_at, f.recorded_by FROM origins f
    WHERE f.kind = 'amendment' AND f.subject_id = a.id OFFSET 0) o ON true
WHERE a.profile_id = $3 OR a.series_id = ANY (scope.series) OR p.series_id = ANY (scope.series);
