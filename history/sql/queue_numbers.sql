-- The queue in numbers, one row per state that occurs: how many jobs, how old the oldest is since
-- it was submitted (ms), how many of them ended in the last five minutes.
-- Parameters: none
-- Result: state text, jobs bigint, oldest_ms bigint, recent bigint
SELECT state, count(*), greatest((extract(epoch FROM now() - min(submitted_at)) * 1000)::bigint, 0),
       count(*) FILTER (WHERE finished_at BETWEEN now() - interval '5 minutes'
                                             AND now() + interval '5 minutes')
FROM queue GROUP BY state;
