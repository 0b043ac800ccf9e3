-- When the first profile of a project was recorded; no row without one.
-- Parameters: $1 project text
-- Result: recorded_at timestamptz
SELECT f.recorded_at
FROM (SELECT min(coalesce(o.recorded_at, p.recorded_at)) AS recorded_at
      FROM projects j JOIN series s ON s.project_id = j.id JOIN profiles p ON p.series_id = s.id
      LEFT JOIN origins o ON o.kind = 'profile' AND o.subject_id = p.id
      WHERE j.name = $1) f
WHERE f.recorded_at IS NOT NULL;
