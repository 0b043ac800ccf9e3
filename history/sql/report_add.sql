-- A report; no row when there is one of that name and end.
-- Parameters: $1 project_id bigint, $2 name text, $3 since_utc text, $4 until_utc text,
--     $5 document text
-- Result: id bigint, chain text
INSERT INTO reports (project_id, name, since_at, until_at, document)
VALUES ($1, $2, $3::text::timestamptz, $4::text::timestamptz, $5)
ON CONFLICT (project_id, name, until_at) WHERE name IS NOT NULL DO NOTHING
RETURNING id, 'j' || project_id;
