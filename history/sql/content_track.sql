-- Canonical content of records of `track` (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: id bigint, project_id bigint, workload text, document text, recorded_at timestamptz,
--     recorded_by text
SELECT id, project_id, workload, document, recorded_at, recorded_by FROM track_records
WHERE id BETWEEN $1 AND $2 ORDER BY id;
