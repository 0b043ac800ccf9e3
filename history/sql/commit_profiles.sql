-- The profiles of a workload that count for a commit now, newest first, on any branch but one. One
-- of the two commits may be the start of the other.
-- Plan: once
-- Parameters: $1 project text, $2 workload text, $3 commit text, $4 never_branch text,
--     $5 profile_limit bigint
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
  AND NOT EXISTS (SELECT FROM present_names n
                  WHERE n.profile_id = p.id AND n.kind = 'branch' AND n.name = $4)
  AND ledger_month_archive(p.recorded_on) IS NULL
ORDER BY p.id DESC LIMIT $5;
