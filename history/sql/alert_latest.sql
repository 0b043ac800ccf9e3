-- How an alert stands: its last event, and what the last word of a person about it still means.
-- lapsed: the silence is over, or the alert was dismissed with the acceptance of one change.
-- slower_pct: by how much the step was slower in the verdict that was acknowledged. The caller has
-- the lock of the workload.
-- Parameters: $1 project text, $2 workload text, $3 series text, $4 branch text,
--     $5 long_ago_days bigint
-- Result: verdict_id bigint, state text, good_count integer, long_ago boolean, lapsed boolean,
--     slower_pct float8
WITH life AS (
    SELECT e.id, e.verdict_id, e.to_state, e.good_count, e.action, e.reason, e.recorded_at
    FROM alert_events e
    JOIN projects j ON j.id = e.project_id
    JOIN verdicts v ON v.id = e.verdict_id
    WHERE j.name = $1 AND e.workload = $2 AND coalesce('s' || v.series_id, '') = $3
      AND e.branch = $4
),
word AS (
    SELECT id, verdict_id, action FROM life WHERE reason IS NOT NULL ORDER BY id DESC LIMIT 1
)
SELECT l.verdict_id, l.to_state, l.good_count,
       l.to_state = 'resolved' AND l.recorded_at < now() - $5::bigint * interval '1 day',
       coalesce(l.to_state = 'dismissed' AND w.action = 'accept'
                OR l.to_state = 'silenced'
                   AND EXISTS (SELECT FROM silences s
                               WHERE s.alert_event_id = w.id
                                 AND (s.until <= now()
                                      OR s.recorded_at > now() + interval '5 minutes')), false),
       (SELECT 100 * (document_number(d.document, '{candidate,step_median_us}')
                      / nullif(document_number(d.document, '{baseline,step_median_us}'), 0) - 1)
        FROM verdicts d WHERE l.to_state = 'acknowledged' AND d.id = w.verdict_id)
FROM life l LEFT JOIN word w ON true
ORDER BY l.id DESC LIMIT 1;
