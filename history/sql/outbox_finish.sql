-- Ends one attempt under the fence of its lease, and appends its receipt; no row when the lease
-- was lost. outcome: done, retry (dead when attempts or time are used up) or dead. pause_ms closes
-- the destination for so long. What the receiver calls a delivered message is remembered in its
-- thread, who needs no further attempt (settled; NULL = as it was) in the row. A destination is
-- disabled when it was refused refusal_limit times in a row, or has taken nothing for failing_ms:
-- for disabled_ms, twice as long at each refusal that follows, at most a day.
-- Parameters: $1 id bigint, $2 lease_token text, $3 outcome text, $4 delay_ms bigint,
--     $5 http_status bigint, $6 reason text, $7 remote_ref text, $8 pause_ms bigint,
--     $9 refusals integer, $10 refusal_limit integer, $11 disabled_ms bigint,
--     $12 failing_ms bigint, $13 settled text
-- Result: outcome text, delivery_id bigint, chain text
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
        last_error = $6::text, settled = coalesce($13::text, o.settled), lease_token = NULL,
        lease_until = NULL
    FROM ended e
    WHERE o.id = e.id
),
score AS (
    SELECT e.destination_id, e.outcome, d.refused_count + $9::integer AS refused_count,
           e.outcome <> 'done'
           AND ($9::integer > 0 AND d.refused_count + $9::integer >= $10::integer
                OR d.failing_since < now() - $12::bigint * interval '1 millisecond') AS disabled
    FROM ended e JOIN destinations d ON d.id = e.destination_id
),
gate AS (
    UPDATE destinations d
    SET failing_since = CASE WHEN s.outcome <> 'done' THEN least(d.failing_since, now()) END,
        not_before = greatest(d.not_before, now() + $8::bigint * interval '1 millisecond'),
        refused_count = CASE WHEN s.outcome = 'done' THEN 0 ELSE s.refused_count END,
        disabled_why = CASE WHEN s.outcome = 'done' THEN NULL
                            WHEN s.disabled THEN $6::text
                            ELSE d.disabled_why END,
        disabled_until = CASE
            WHEN s.outcome = 'done' THEN NULL
            WHEN s.disabled
                THEN now() + least(interval '1 day',
                                   $11::bigint * interval '1 millisecond'
                                   * 2 ^ least(greatest(s.refused_count - $10::integer, 0), 10))
            ELSE d.disabled_until END,
        disabled_told = s.outcome <> 'done' AND d.disabled_told
    FROM score s
    WHERE d.id = s.destination_id
      AND (s.outcome <> 'done' OR d.failing_since IS NOT NULL OR $8::bigint > 0)
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
RETURNING outcome, id, chain_of_verdict(verdict_id);
