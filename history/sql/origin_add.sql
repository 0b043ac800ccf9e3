-- When and by whom something was recorded that comes from another ledger. The result is the row of
-- content_origin.sql.
-- Parameters: $1 kind text, $2 subject_id bigint, $3 recorded_at text, $4 recorded_by text
-- Result: subject_id bigint, recorded_at timestamptz, recorded_by text
INSERT INTO origins (kind, subject_id, recorded_at, recorded_by)
VALUES ($1, $2, $3::text::timestamptz, $4)
RETURNING subject_id, recorded_at, recorded_by;
