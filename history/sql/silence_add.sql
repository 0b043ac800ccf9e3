-- Silences alerts until a time; workload or branch NULL = all of them; alert_event_id: the end of
-- the silence that this event began.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 ms bigint, $5 reason text,
--     $6 alert_event_id bigint
-- Result: id bigint, until timestamptz
INSERT INTO silences (project, workload, branch, until, reason, alert_event_id)
VALUES ($1, $2, nullif($3, ''), now() + $4::bigint * interval '1 millisecond', $5, $6)
RETURNING id, until;
