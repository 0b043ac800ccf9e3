-- What stands against calling a profile so: whether each name is all that is said already, and the
-- profile of the same bytes in the workload that it would go to.
-- Parameters: $1 profile_id bigint, $2 workload text, $3 branch text, $4 commit_sha text,
--     $5 run text, $6 label text
-- Result: project_id bigint, same_workload boolean, same_branch boolean, same_commit boolean,
--     same_run boolean, same_label boolean, same_bytes_id bigint
WITH names AS (
    SELECT n.kind, n.name FROM present_names n WHERE n.profile_id = $1
)
SELECT p.project_id, s.workload = $2, coalesce(p.branch = $3, false)
           AND NOT EXISTS (SELECT FROM names WHERE kind = 'branch' AND name <> $3),
       coalesce(p.commit_sha = $4, false)
           AND NOT EXISTS (SELECT FROM names WHERE kind = 'commit' AND name <> $4),
       p.run = $5,
       coalesce(p.label = $6, false)
           AND NOT EXISTS (SELECT FROM names WHERE kind = 'label' AND name <> $6),
       (SELECT max(k.id) FROM present_profiles k
        WHERE k.trace_sha256 = p.trace_sha256 AND k.project_id = p.project_id AND k.id <> $1
          AND k.superseded_by IS NULL AND k.retracted_at IS NULL
          AND k.series_id IN (SELECT t.id FROM series t
                              WHERE t.project_id = p.project_id AND t.workload = $2))
FROM present_profiles p JOIN series s ON s.id = p.series_id
WHERE p.id = $1;
