-- A correction of a profile as the whole state that holds from here on. NULL: as it was. A new name
-- takes the place of what was said of it before.
-- Parameters: $1 profile_id bigint, $2 action text, $3 reason text, $4 series_id bigint,
--     $5 run text, $6 branch text, $7 commit_sha text, $8 label text, $9 superseded_by bigint
-- Result: id bigint, chain text
WITH last AS (
    SELECT p.id, p.series_id AS recorded_series_id,
           amendment_next_ordinal(p.id, NULL) AS ordinal,
           coalesce(a.series_id, p.series_id) AS series_id, coalesce(a.run, p.run) AS run,
           a.branch, coalesce(a.branch_after, 0) AS branch_after,
           a.commit_sha, coalesce(a.commit_after, 0) AS commit_after,
           a.label, coalesce(a.label_after, 0) AS label_after,
           coalesce(a.retracted, false) AS retracted, a.superseded_by,
           (SELECT coalesce(max(e.id), 0) FROM profile_events e WHERE e.profile_id = p.id)
               AS last_event
    FROM profiles p LEFT JOIN last_amendments a ON a.profile_id = p.id
    WHERE p.id = $1
),
added AS (
    INSERT INTO amendments (profile_id, ordinal, action, reason, series_id, run, branch,
                            branch_after, commit_sha, commit_after, label, label_after, retracted,
                            superseded_by)
    SELECT l.id, l.ordinal, $2, $3, coalesce($4, l.series_id), coalesce($5, l.run),
           coalesce($6, l.branch),
           CASE WHEN $6::text IS NULL THEN l.branch_after ELSE l.last_event END,
           coalesce($7, l.commit_sha),
           CASE WHEN $7::text IS NULL THEN l.commit_after ELSE l.last_event END,
           coalesce($8, l.label),
           CASE WHEN $8::text IS NULL THEN l.label_after ELSE l.last_event END,
           CASE $2::text WHEN 'retract' THEN true WHEN 'restore' THEN false ELSE l.retracted END,
           CASE $2::text WHEN 'restore' THEN NULL ELSE coalesce($9, l.superseded_by) END
    FROM last l
    RETURNING id
)
SELECT added.id, 's' || l.recorded_series_id FROM added CROSS JOIN last l;
