-- Takes back the leases of workers that are gone; the attempt counts, and after the last one the
-- job is set aside. A lease ends within an hour and a backoff within a day: what lies beyond was
-- written while the server's clock was ahead, and would hold the job until then.
-- Parameters: none
-- Result: count bigint
WITH lost AS (
    SELECT q.id FROM queue q
    WHERE q.state = 'running'
      AND (q.lease_until < now() OR q.lease_until > now() + interval '25 hours')
    FOR UPDATE SKIP LOCKED
),
moved AS (
    UPDATE queue q
    SET state = CASE WHEN q.attempt >= q.max_attempts THEN 'aside' ELSE 'ready' END,
        finished_at = CASE WHEN q.attempt >= q.max_attempts THEN now() END,
        not_before = now(), lease_until = NULL, failure_kind = 'lease',
        failure = 'worker ' || q.worker || ' was gone before it said what came of attempt '
                  || q.attempt
    FROM lost
    WHERE q.id = lost.id
    RETURNING q.id
),
woken AS (
    UPDATE queue q
    SET not_before = now()
    WHERE q.state = 'ready' AND q.not_before > now() + interval '25 hours'
)
SELECT count(*) FROM moved;
