-- When and by whom something was recorded that comes from another ledger; recorded_us counts from
-- 1970. The result is the row of content_origin.sql.
-- Parameters: $1 kind text, $2 subject_id bigint, $3 recorded_us bigint, $4 recorded_by text
-- Result: subject_id bigint, recorded_at timestamptz, recorded_by text
INSERT INTO origins (kind, subject_id, recorded_at, recorded_by)
VALUES ($1, $2, timestamptz '1970-01-01 00:00:00+00' + $3::bigint * interval '1 microsecond', $4)
RETURNING subject_id, recorded_at, recorded_by;
