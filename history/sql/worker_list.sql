-- Workers, and when each was last seen (ms ago).
-- Parameters: none
-- Result: name text, kind text, slots integer, busy integer, seen_ms bigint
SELECT name, kind, slots, busy, (extract(epoch FROM now() - seen_at) * 1000)::bigint
FROM workers ORDER BY kind, name;
