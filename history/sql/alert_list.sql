-- Alerts as they stand, those that moved last first. id: of the first event. since: when it was
-- opened the last time, and by which verdict; by and reason: a person's last word, where it still
-- holds; until: the end of a silence.
-- Parameters: $1 project text, $2 with_resolved boolean, $3 limit bigint
-- Result: id bigint, project text, workload text, series text, branch text, state text,
--     moved_at timestamptz, since timestamptz, since_ms bigint, since_verdict_id bigint,
--     verdict_id bigint, by text, reason text, until timestamptz
WITH life AS (
    SELECT e.id, e.project_id, e.workload, coalesce('s' || v.series_id, '') AS series, e.branch,
           e.from_state, e.to_state, e.verdict_id, e.reason,
           coalesce(o.recorded_at, e.recorded_at) AS recorded_at,
           coalesce(o.recorded_by, entry_author('alert', e.id, e.recorded_by)) AS recorded_by,
           row_number() OVER of_alert AS age,
           first_value(e.id) OVER (PARTITION BY e.project_id, e.workload, v.series_id, e.branch
                                   ORDER BY e.id) AS first_id
    FROM alert_events e
    JOIN verdicts v ON v.id = e.verdict_id
    LEFT JOIN origins o ON o.kind = 'alert' AND o.subject_id = e.id
    WINDOW of_alert AS (PARTITION BY e.project_id, e.workload, v.series_id, e.branch
                        ORDER BY e.id DESC)
)
SELECT l.first_id, j.name, l.workload, l.series, l.branch, l.to_state, l.recorded_at,
       o.recorded_at, (extract(epoch FROM now() - least(o.recorded_at, now())) * 1000)::bigint,
       o.verdict_id,
       l.verdict_id, w.recorded_by, w.reason, s.until
FROM life l
JOIN projects j ON j.id = l.project_id
LEFT JOIN LATERAL (
    SELECT b.recorded_at, b.verdict_id FROM life b
    WHERE b.first_id = l.first_id AND coalesce(b.from_state, 'resolved') = 'resolved'
      AND b.to_state IN ('open', 'reopened')
    ORDER BY b.id DESC LIMIT 1) AS o ON true
LEFT JOIN LATERAL (
    SELECT p.id, p.recorded_by, p.reason FROM life p
    WHERE p.first_id = l.first_id AND p.reason IS NOT NULL
      AND l.to_state IN ('acknowledged', 'silenced', 'dismissed')
    ORDER BY p.id DESC LIMIT 1) AS w ON true
LEFT JOIN silences s ON s.alert_event_id = w.id AND l.to_state = 'silenced'
WHERE l.age = 1 AND j.name = coalesce($1, j.name) AND ($2 OR l.to_state <> 'resolved')
ORDER BY l.id DESC
LIMIT $3;
