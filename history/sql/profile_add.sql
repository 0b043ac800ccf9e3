-- A new profile, unless its bytes are known (no row then). Without a run it is a run of its own,
-- named by its id.
-- Parameters: $1 project_id bigint, $2 series_id bigint, $3 run text, $4 trace_sha256 text,
--     $5 schema_version text, $6 source_format text, $7 source_path text,
--     $8 producer_version text, $9 breakdown_mode text
-- Result: id bigint, run text
INSERT INTO profiles (id, project_id, series_id, run, trace_sha256, schema_version, source_format,
                      source_path, producer_version, breakdown_mode)
OVERRIDING SYSTEM VALUE
SELECT next.id, $1, $2, coalesce($3, 'p' || next.id), decode($4, 'hex'), $5, $6, $7, $8, $9
FROM (SELECT nextval('profiles_id_seq') AS id) AS next
ON CONFLICT (project_id, trace_sha256) DO NOTHING
RETURNING id, run;
