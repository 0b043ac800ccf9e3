-- Whether people want to hear nothing of a project, or this part of it, now. What was said in the
-- future, as the server's clock had it, would hold until then: it does not.
-- Parameters: $1 project text, $2 workload text, $3 branch text
-- Result: silenced boolean
SELECT EXISTS (SELECT FROM silences s
               WHERE s.project = $1 AND coalesce(s.workload, $2) = $2
                 AND coalesce(s.branch, $3) = $3 AND s.until > now()
                 AND s.alert_event_id IS NULL
                 AND s.recorded_at <= now() + interval '5 minutes');
