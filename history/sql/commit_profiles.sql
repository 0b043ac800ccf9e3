-- The profiles of a workload that count for a commit on a branch now, newest first, and for no
-- other branch that is named. One of the two commits may be the start of the other.
-- Parameters: $1 project text, $2 workload text, $3 commit text, $4 branch text,
--     $5 never_branch text, $6 profile_limit bigint
-- Result: id bigint
WITH scope AS MATERIALIZED (
    SELECT array_agg(s.id) AS series
    FROM projects j JOIN series s ON s.project_id = j.id AND s.workload = $2
    WHERE j.name = $1
),
named AS MATERIALIZED (
    SELECT n.profile_id FROM present_names n
    WHERE n.kind = 'commit' AND n.name >= left($3, 7) AND n.name < left($3, 7) || '~'
      AND (n.name = $3 OR (length($3) >= 7 AND starts_with(n.name, $3))
           OR (length(n.name) >= 7 AND starts_with($3, n.name)))
)
SELECT p.id
FROM present_profiles p
WHERE p.id = ANY (ARRAY(SELECT profile_id FROM named))
  AND p.series_id = ANY ((SELECT series FROM scope)::bigint[])
  AND p.retracted_at IS NULL AND p.superseded_by IS NULL
  AND CASE WHEN $4::text IS NULL THEN p.branch IS NULL
      ELSE EXISTS (SELECT FROM present_names n
                   WHERE n.profile_id = p.id AND n.kind = 'branch' AND n.name = $4) END
  AND NOT EXISTS (SELECT FROM present_names n
                  WHERE n.profile_id = p.id AND n.kind = 'branch' AND n.name = $5)
  AND ledger_month_archive(p.recorded_on) IS NULL
ORDER BY p.id DESC LIMIT $6;
