-- Removes messages that ended long ago, at most so many at a time. Those of an alert that its
-- destination knows as open stay for a year: they keep the same finding from being told again, and
-- say that the beginning was told, for as long as any message of their key is on its way, too. The
-- dead stay until somebody was told of them. Receipts are in `deliveries`.
-- Parameters: $1 age_ms bigint, $2 limit bigint
-- Result: count bigint
WITH old AS (
    SELECT o.id FROM outbox o
    WHERE o.state IN ('done', 'dead', 'superseded')
      AND o.finished_at < now() - $1::bigint * interval '1 millisecond'
      AND (o.state <> 'dead' OR o.dead_told)
      AND NOT EXISTS (SELECT FROM outbox w
                      WHERE w.destination_id = o.destination_id AND w.order_key = o.order_key
                        AND w.state IN ('pending', 'sending'))
      AND (o.finished_at < now() - interval '1 year'
           OR NOT EXISTS (SELECT FROM alert_threads t
                          WHERE t.destination_id = o.destination_id AND t.order_key = o.order_key
                            AND t.phase IN ('firing', 'repeated', 'worsened', 'flapping',
                                            'reopened')))
    LIMIT $2
    FOR UPDATE OF o SKIP LOCKED
),
gone AS (
    DELETE FROM outbox o USING old WHERE o.id = old.id RETURNING o.id
)
SELECT count(*) FROM gone;
