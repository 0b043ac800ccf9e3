-- 0205: counters and times of work state are of a size that can be reckoned with.
--
-- Who stores profiles, or judges, wrote a counter that stood at its end, or a time without end, to
-- work of its own: then whoever claimed the next piece of work, or asked how old the oldest is, got
-- an error of the server's for it, and no work was done. What is like that already begins anew.

CREATE FUNCTION work_time_is_usual(at timestamptz) RETURNS boolean IMMUTABLE LANGUAGE sql
RETURN at IS NULL OR at BETWEEN '1970-01-01 00:00:00+00'::timestamptz
                            AND '2200-01-01 00:00:00+00'::timestamptz;

UPDATE queue SET attempt = 0 WHERE attempt > 1000000;
UPDATE queue SET fence = 0 WHERE fence NOT BETWEEN 0 AND 1000000000000000;
UPDATE queue SET not_before = now() WHERE NOT work_time_is_usual(not_before);
UPDATE queue SET submitted_at = now() WHERE NOT work_time_is_usual(submitted_at);
UPDATE queue SET finished_at = now() WHERE NOT work_time_is_usual(finished_at);
UPDATE queue SET lease_until = now() WHERE NOT work_time_is_usual(lease_until);
ALTER TABLE queue
    ADD CONSTRAINT queue_counts CHECK (attempt <= 1000000
                                       AND fence BETWEEN 0 AND 1000000000000000),
    ADD CONSTRAINT queue_times CHECK (work_time_is_usual(not_before)
        AND work_time_is_usual(submitted_at) AND work_time_is_usual(finished_at)
        AND work_time_is_usual(lease_until));

-- What is asked for by hand is asked for since ever.
UPDATE judgements SET attempt = 0 WHERE attempt > 1000000;
UPDATE judgements SET fence = 0 WHERE fence NOT BETWEEN 0 AND 1000000000000000;
UPDATE judgements SET asked = 1 WHERE asked NOT BETWEEN 0 AND 1000000000000000;
UPDATE judgements SET not_before = now() WHERE NOT work_time_is_usual(not_before);
UPDATE judgements SET asked_at = now()
WHERE NOT work_time_is_usual(asked_at) AND asked_at <> '-infinity';
UPDATE judgements SET finished_at = now() WHERE NOT work_time_is_usual(finished_at);
UPDATE judgements SET lease_until = now() WHERE NOT work_time_is_usual(lease_until);
ALTER TABLE judgements
    ADD CONSTRAINT judgements_counts CHECK (attempt <= 1000000
                                            AND fence BETWEEN 0 AND 1000000000000000
                                            AND asked BETWEEN 0 AND 1000000000000000),
    ADD CONSTRAINT judgements_times CHECK (work_time_is_usual(not_before)
        AND (work_time_is_usual(asked_at) OR asked_at = '-infinity')
        AND work_time_is_usual(finished_at) AND work_time_is_usual(lease_until));

UPDATE outbox SET attempt = 0 WHERE attempt > 1000000;
UPDATE outbox SET not_before = now() WHERE NOT work_time_is_usual(not_before);
UPDATE outbox SET expires_at = now() + interval '24 hours' WHERE NOT work_time_is_usual(expires_at);
UPDATE outbox SET created_at = now() WHERE NOT work_time_is_usual(created_at);
UPDATE outbox SET finished_at = now() WHERE NOT work_time_is_usual(finished_at);
UPDATE outbox SET lease_until = now() WHERE NOT work_time_is_usual(lease_until);
ALTER TABLE outbox
    ADD CONSTRAINT outbox_counts CHECK (attempt <= 1000000),
    ADD CONSTRAINT outbox_times CHECK (work_time_is_usual(not_before)
        AND work_time_is_usual(expires_at) AND work_time_is_usual(created_at)
        AND work_time_is_usual(finished_at) AND work_time_is_usual(lease_until));

UPDATE workers SET seen_at = now() WHERE NOT work_time_is_usual(seen_at);
ALTER TABLE workers ADD CONSTRAINT workers_times CHECK (work_time_is_usual(seen_at));
