-- A job, unless one with its dedupe key is known (no row then).
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 commit text, $5 run text,
-- $6 label text, $7 path text, $8 options text, $9 dedupe_key text, $10 max_attempts integer,
-- $11 judge boolean
-- Result: id bigint
INSERT INTO queue (project, workload, branch, commit_sha, run, label, path, options, dedupe_key,
                   max_attempts, judge)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (dedupe_key) DO NOTHING
RETURNING id;
