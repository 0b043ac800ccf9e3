-- The last entries, newest first: of one chain, of all chains of a project, or of all.
-- Parameters: $1 chain text, $2 project text, $3 row_limit bigint
-- Result: chain text, position bigint, kind text, subject_id bigint, supersedes bigint,
--     recorded_at timestamptz, entry_sha256 bytea
WITH chains AS (
    SELECT 's' || s.id AS chain, j.name AS project
    FROM series s JOIN projects j ON j.id = s.project_id
    UNION ALL SELECT 'j' || id, name FROM projects
    UNION ALL SELECT 'ledger', NULL
)
SELECT e.chain, e.position, e.kind, e.subject_id, e.supersedes, e.recorded_at, e.entry_sha256
FROM chains c,
     LATERAL (SELECT * FROM entries n WHERE n.chain = c.chain ORDER BY n.position DESC
              LIMIT $3) AS e
WHERE ($1::text IS NULL OR c.chain = $1) AND ($2::text IS NULL OR c.project = $2)
ORDER BY e.recorded_at DESC, e.chain DESC, e.position DESC LIMIT $3;
