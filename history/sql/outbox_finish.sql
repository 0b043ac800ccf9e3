-- Ends one attempt under the fence of its lease, and appends its receipt; no row when the lease
-- was lost. outcome: done, retry (dead when attempts or time are used up) or dead. pause_ms closes
-- the destination for so long. What the receiver calls a delivered message is remembered in its
-- thread.
-- Parameters: $1 id bigint, $2 lease_token text, $3 outcome text, $4 delay_ms bigint,
--     $5 http_status bigint, $6 reason text, $7 remote_ref text, $8 pause_ms bigint
-- Result: outcome text
WITH ended AS (
    SELECT o.id, o.destination_id, o.order_key, o.dedupe_key, o.verdict_id, o.attempt,
           CASE WHEN $3::text = 'retry'
                     AND (o.attempt >= o.max_attempts
                          OR now() + $4::bigint * interval '1 millisecond' >= o.expires_at)
                THEN 'dead' ELSE $3::text END AS outcome
    FROM outbox o
    WHERE o.id = $1 AND o.state = 'sending' AND o.lease_token = $2::text::uuid
    FOR UPDATE
),
moved AS (
    UPDATE outbox o
    SET state = CASE e.outcome WHEN 'retry' THEN 'pending' ELSE e.outcome END,
        finished_at = CASE WHEN e.outcome <> 'retry' THEN now() END,
        not_before = CASE e.outcome WHEN 'retry' THEN now() + $4::bigint * interval '1 millisecond'
                     ELSE o.not_before END,
        last_error = $6::text, lease_token = NULL, lease_until = NULL
    FROM ended e
    WHERE o.id = e.id
),
gate AS (
    UPDATE destinations d
    SET failing_since = CASE WHEN e.outcome <> 'done' THEN coalesce(d.failing_since, now()) END,
        not_before = greatest(d.not_before,
                              now() + $8::bigint * interval '1 millisecond')
    FROM ended e
    WHERE d.id = e.destination_id
      AND (e.outcome <> 'done' OR d.failing_since IS NOT NULL OR $8::bigint > 0)
),
thread AS (
    INSERT INTO alert_threads (destination_id, order_key, remote_ref)
    SELECT e.destination_id, e.order_key, $7::text FROM ended e
    WHERE e.outcome = 'done' AND $7::text IS NOT NULL
    ON CONFLICT (destination_id, order_key) DO UPDATE SET remote_ref = excluded.remote_ref
)
INSERT INTO deliveries (outbox_id, destination, dedupe_key, verdict_id, attempt, outcome,
                        http_status, reason, remote_ref)
SELECT e.id, d.name, e.dedupe_key, e.verdict_id, e.attempt, e.outcome, $5::bigint, $6::text,
       $7::text
FROM ended e JOIN destinations d ON d.id = e.destination_id
RETURNING outcome;
