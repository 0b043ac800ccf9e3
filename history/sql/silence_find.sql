-- Whether people are to be left alone about something now: a silence holds, or its alert is
-- silenced or dismissed.
-- Parameters: $1 project text, $2 workload text, $3 branch text
-- Result: silenced boolean
SELECT EXISTS (SELECT FROM silences s
               WHERE s.project = $1 AND coalesce(s.workload, $2) = $2
                 AND coalesce(s.branch, $3) = $3 AND s.until > now())
    OR coalesce((SELECT e.to_state IN ('silenced', 'dismissed')
                 FROM alert_events e JOIN projects p ON p.id = e.project_id
                 WHERE p.name = $1 AND e.workload = $2 AND e.branch = $3
                 ORDER BY e.id DESC LIMIT 1), false);
