-- How long until a receiver opens for which a due message waits; no row when none does.
-- Parameters: none
-- Result: wait_ms bigint
SELECT ceil(extract(epoch FROM min(d.not_before) - now()) * 1000)::bigint
FROM outbox o JOIN destinations d ON d.id = o.destination_id
WHERE o.state = 'pending' AND o.not_before <= now() AND o.expires_at > now()
  AND d.not_before > now() AND d.disabled_why IS NULL
HAVING count(*) > 0;
