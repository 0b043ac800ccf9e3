-- Alerts as destinations know them, those that changed last first.
-- Parameters: $1 limit bigint
-- Result: destination text, order_key text, phase text, generation integer, remote_ref text,
--     headline text, changed_at timestamptz
SELECT d.name, t.order_key, t.phase, t.generation, t.remote_ref, t.headline, t.changed_at
FROM alert_threads t JOIN destinations d ON d.id = t.destination_id
WHERE t.phase <> 'none'
ORDER BY t.changed_at DESC, d.name, t.order_key
LIMIT $1;
