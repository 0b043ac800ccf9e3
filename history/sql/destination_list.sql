-- Destinations that do not take messages as they should: disabled, paused, or failing; and how many
-- messages wait for each.
-- Parameters: none
-- Result: name text, disabled_why text, disabled_until timestamptz, paused_until timestamptz,
--     failing_since timestamptz, waiting bigint
SELECT d.name, d.disabled_why, d.disabled_until,
       CASE WHEN d.not_before > now() + interval '5 seconds' THEN d.not_before END,
       d.failing_since,
       (SELECT count(*) FROM outbox o
        WHERE o.destination_id = d.id AND o.state IN ('pending', 'sending'))
FROM destinations d
WHERE d.disabled_why IS NOT NULL OR d.failing_since IS NOT NULL
   OR d.not_before > now() + interval '5 seconds'
ORDER BY d.name;
