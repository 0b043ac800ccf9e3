-- Whether nothing was heard of a branch for so many days: no profile of it was recorded and no
-- alert of it moved.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 days bigint
-- Result: quiet boolean
SELECT NOT EXISTS (
           SELECT FROM alert_events a
           WHERE a.project_id = j.id AND a.workload = $2 AND a.branch = $3
             AND a.recorded_at > now() - $4::bigint * interval '1 day')
       AND NOT EXISTS (
           SELECT FROM profiles p
           JOIN series s ON s.id = p.series_id AND s.workload = $2
           JOIN profile_events e ON e.profile_id = p.id AND e.branch = $3
           WHERE p.project_id = j.id
             AND e.recorded_at > now() - $4::bigint * interval '1 day')
FROM projects j WHERE j.name = $1;
