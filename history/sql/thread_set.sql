-- What a destination is being told about an alert.
-- Parameters: $1 destination_id bigint, $2 order_key text, $3 phase text, $4 generation integer,
--     $5 headline text
-- Result: none
INSERT INTO alert_threads (destination_id, order_key, phase, generation, headline)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (destination_id, order_key) DO UPDATE
SET phase = excluded.phase, generation = excluded.generation, headline = excluded.headline,
    changed_at = now();
