-- Candidates in numbers, one row per state that occurs: how many, how old the oldest is since it
-- was asked for (ms), how many ended in the last five minutes. Those asked for by hand have no age.
-- Parameters: none
-- Result: state text, candidates bigint, oldest_ms bigint, recent bigint
SELECT state, count(*),
       greatest((extract(epoch FROM now() - min(asked_at) FILTER (WHERE asked_at > '-infinity'))
                 * 1000)::bigint, 0),
       count(*) FILTER (WHERE finished_at BETWEEN now() - interval '5 minutes'
                                             AND now() + interval '5 minutes')
FROM judgements GROUP BY state;
