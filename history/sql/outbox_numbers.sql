-- The outbox in numbers, one row per state that occurs: how many messages, how old the oldest is
-- (ms), how many of them ended in the last five minutes.
-- Parameters: none
-- Result: state text, messages bigint, oldest_ms bigint, recent bigint
SELECT state, count(*), greatest((extract(epoch FROM now() - min(created_at)) * 1000)::bigint, 0),
       count(*) FILTER (WHERE finished_at BETWEEN now() - interval '5 minutes'
                                             AND now() + interval '5 minutes')
FROM outbox GROUP BY state;
