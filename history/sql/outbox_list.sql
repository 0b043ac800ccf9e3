-- Messages, newest first; state NULL = all.
-- Parameters: $1 state text, $2 limit bigint
-- Result: id bigint, destination text, state text, phase text, headline text, attempt integer,
--     max_attempts integer, last_error text, verdict_id bigint, created_at timestamptz,
--     not_before timestamptz, finished_at timestamptz
SELECT o.id, d.name, o.state, o.phase, o.headline, o.attempt, o.max_attempts, o.last_error,
       o.verdict_id, o.created_at, o.not_before, o.finished_at
FROM outbox o JOIN destinations d ON d.id = o.destination_id
WHERE o.state = coalesce($1, o.state)
ORDER BY o.id DESC
LIMIT $2;
