-- Takes back the leases of workers that are gone; the attempt counts, and after the last one the
-- candidate is set aside.
-- Parameters: $1 max_attempts bigint
-- Result: count bigint
WITH lost AS (
    SELECT j.id FROM judgements j
    WHERE j.state = 'running' AND j.lease_until < now()
    FOR UPDATE SKIP LOCKED
),
moved AS (
    UPDATE judgements j
    SET state = CASE WHEN j.attempt >= $1::bigint THEN 'aside' ELSE 'ready' END,
        finished_at = CASE WHEN j.attempt >= $1::bigint THEN now() END,
        not_before = now(), lease_until = NULL, failure_kind = 'lease',
        failure = 'worker ' || j.worker || ' was gone before it said what came of attempt '
                  || j.attempt
    FROM lost
    WHERE j.id = lost.id
    RETURNING j.id
)
SELECT count(*) FROM moved;
