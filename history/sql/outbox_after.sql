-- What its destination was given after a message, under the same order key: the newest of all; the
-- newest about the alert that was told, or is on its way; and what the last one about the alert
-- says, be it lost or the message itself.
-- Parameters: $1 id bigint
-- Result: newest_id bigint, told_id bigint, last_phase text
SELECT max(p.id) FILTER (WHERE p.id > o.id),
       max(p.id) FILTER (WHERE p.id > o.id AND p.phase <> 'none'
                           AND (p.state IN ('pending', 'sending', 'done')
                                OR p.state = 'superseded' AND p.in_digest)),
       (array_agg(p.phase ORDER BY p.id DESC)
            FILTER (WHERE p.id = o.id
                       OR p.phase <> 'none' AND (p.state = 'dead' OR p.voided)))[1]
FROM outbox o
JOIN outbox p ON p.destination_id = o.destination_id AND p.order_key = o.order_key AND p.id >= o.id
WHERE o.id = $1
GROUP BY o.id;
