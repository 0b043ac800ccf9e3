-- Takes back the leases of workers that are gone; the attempt counts, and after the last one the
-- candidate is set aside. A lease and a backoff end within a day, and nobody asks in the future:
-- what lies beyond was written while the server's clock was ahead.
-- Parameters: $1 max_attempts bigint
-- Result: count bigint
WITH lost AS (
    SELECT j.id FROM judgements j
    WHERE j.state = 'running'
      AND (j.lease_until < now() OR j.lease_until > now() + interval '25 hours')
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
),
woken AS (
    UPDATE judgements j
    SET not_before = least(j.not_before, now()), asked_at = least(j.asked_at, now())
    WHERE j.state = 'ready'
      AND (j.not_before > now() + interval '25 hours' OR j.asked_at > now())
)
SELECT count(*) FROM moved;
