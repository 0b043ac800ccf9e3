-- The profiles of these bytes in a workload as it is now, or (any) that ever were of it, the last
-- one first; but for (any), what was retracted comes behind what counts.
-- Parameters: $1 project_id bigint, $2 workload text, $3 trace_sha256 text, $4 any boolean
-- Result: id bigint, series_id bigint, run text, retracted_at timestamptz, superseded_by bigint,
--     reason text, definition_version bigint, archived boolean
SELECT p.id, p.recorded_series_id, p.run, p.retracted_at, p.superseded_by, p.reason,
       s.definition_version, ledger_month_archive(p.recorded_on) IS NOT NULL
FROM present_profiles p
JOIN series s ON s.id = p.series_id
JOIN series r ON r.id = p.recorded_series_id
WHERE p.trace_sha256 = decode($3, 'hex') AND p.project_id = $1
  AND (s.workload = $2 OR ($4 AND r.workload = $2))
  AND ($4 OR p.superseded_by IS NULL)
ORDER BY NOT $4 AND p.retracted_at IS NOT NULL, p.id DESC;
