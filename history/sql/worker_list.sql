-- Workers, and when each was last seen (ms ago). One that was seen in the future, as the server's
-- clock had it, is not there: it would look alive until then.
-- Parameters: none
-- Result: name text, kind text, slots integer, busy integer, seen_ms bigint
SELECT name, kind, slots, busy, greatest((extract(epoch FROM now() - seen_at) * 1000)::bigint, 0)
FROM workers WHERE seen_at < now() + interval '1 minute'
ORDER BY kind, name;
