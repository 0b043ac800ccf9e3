-- One row when the task is due: who gets it is to do it now. Others see it as done. It is due too
-- when it ran in the future, as the server's clock had it, and when it was begun and has not ended
-- for so long that whoever began it is gone, or could not do it then. With after_failure, what was
-- done is due whenever the caller finds it so, and every_ms keeps off what failed or has not ended.
-- Parameters: $1 name text, $2 every_ms bigint, $3 unfinished_ms bigint, $4 after_failure boolean
-- Result: name text
INSERT INTO schedules AS s (name, last_run_at) VALUES ($1, now())
ON CONFLICT (name) DO UPDATE SET last_run_at = now()
WHERE s.last_run_at <= now() - $2::bigint * interval '1 millisecond' OR s.last_run_at > now()
   OR (coalesce(s.ended_at < s.last_run_at, true)
       AND s.last_run_at <= now() - $3::bigint * interval '1 millisecond')
   OR ($4::boolean AND s.failure IS NULL AND s.ended_at >= s.last_run_at)
RETURNING name;
