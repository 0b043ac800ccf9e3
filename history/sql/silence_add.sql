-- Silences alerts for a while; workload or branch NULL = all of them.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 ms bigint, $5 reason text
-- Result: id bigint, until timestamptz
INSERT INTO silences (project, workload, branch, until, reason)
VALUES ($1, $2, $3, now() + $4::bigint * interval '1 millisecond', $5)
RETURNING id, until;
