-- What is owed to each destination: messages whose time has come or that were tried already, how
-- long the oldest of them waits (ms), how many were given up within a day, and how many attempts
-- ended how within five minutes (of the last ten thousand attempts). What waits for a digest or the
-- end of quiet hours is not late.
-- Parameters: none
-- Result: name text, disabled boolean, waiting bigint, oldest_ms bigint, dead bigint,
--     attempts_done bigint, attempts_retry bigint, attempts_dead bigint, attempts_lost bigint
SELECT d.name, d.disabled_why IS NOT NULL, coalesce(w.messages, 0),
       greatest((extract(epoch FROM now() - w.since) * 1000)::bigint, 0), coalesce(x.messages, 0),
       coalesce(r.done, 0), coalesce(r.retry, 0), coalesce(r.dead, 0), coalesce(r.lost, 0)
FROM destinations d
LEFT JOIN (SELECT o.destination_id, count(*) AS messages,
                  min(CASE WHEN o.attempt = 0 THEN greatest(o.created_at, o.not_before)
                           ELSE o.created_at END) AS since
           FROM outbox o
           WHERE o.state IN ('pending', 'sending') AND (o.attempt > 0 OR o.not_before <= now())
           GROUP BY o.destination_id) AS w ON w.destination_id = d.id
LEFT JOIN (SELECT o.destination_id, count(*) AS messages
           FROM outbox o
           WHERE o.state = 'dead' AND o.finished_at BETWEEN now() - interval '1 day'
                                                          AND now() + interval '5 minutes'
           GROUP BY o.destination_id) AS x ON x.destination_id = d.id
LEFT JOIN (SELECT a.destination, count(*) FILTER (WHERE a.outcome = 'done') AS done,
                  count(*) FILTER (WHERE a.outcome = 'retry') AS retry,
                  count(*) FILTER (WHERE a.outcome = 'dead') AS dead,
                  count(*) FILTER (WHERE a.outcome = 'lease_expired') AS lost
           FROM deliveries a
           WHERE a.id > (SELECT max(l.id) FROM deliveries l) - 10000
             AND a.outbox_id > 0
             AND a.recorded_at BETWEEN now() - interval '5 minutes' AND now() + interval '5 minutes'
           GROUP BY a.destination) AS r ON r.destination = d.name
ORDER BY d.name;
