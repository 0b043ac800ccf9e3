-- The corrections of a profile in their order, each with what it changed; all but those that say
-- what took its place, or that it has it again. events_before: how many of its
-- events were said before.
-- Parameters: $1 profile_id bigint
-- Result: action text, reason text, workload text, run text, branch text, commit_sha text,
--     label text, events_before bigint, recorded_at timestamptz, recorded_by text
SELECT a.action, a.reason,
       CASE WHEN a.series_id <> coalesce(b.series_id, p.series_id) THEN s.workload END,
       CASE WHEN a.run <> coalesce(b.run, p.run) THEN a.run END,
       CASE WHEN (a.branch, a.branch_after) IS DISTINCT FROM (b.branch, coalesce(b.branch_after, 0))
            THEN a.branch END,
       CASE WHEN (a.commit_sha, a.commit_after)
                 IS DISTINCT FROM (b.commit_sha, coalesce(b.commit_after, 0))
            THEN a.commit_sha END,
       CASE WHEN (a.label, a.label_after) IS DISTINCT FROM (b.label, coalesce(b.label_after, 0))
            THEN a.label END,
       (SELECT count(*) FROM profile_events e
        WHERE e.profile_id = p.id AND e.recorded_at <= a.recorded_at),
       coalesce(o.recorded_at, a.recorded_at),
       coalesce(o.recorded_by, entry_author('amendment', a.id, a.recorded_by))
FROM amendments a
JOIN profiles p ON p.id = a.profile_id
JOIN series s ON s.id = a.series_id
LEFT JOIN LATERAL (
    SELECT m.* FROM amendments m WHERE m.profile_id = a.profile_id AND m.id < a.id
    ORDER BY m.id DESC LIMIT 1) b ON true
LEFT JOIN origins o ON o.kind = 'amendment' AND o.subject_id = a.id
WHERE a.profile_id = $1 AND a.action <> 'supersede'
  AND NOT (a.action = 'restore' AND b.superseded_by IS NOT NULL)
ORDER BY a.id;
