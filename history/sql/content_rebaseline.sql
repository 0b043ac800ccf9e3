-- Canonical content of re-baselines (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: id bigint, series_id bigint, after_profile_id bigint, reason text,
--     recorded_at timestamptz, recorded_by text
SELECT id, series_id, after_profile_id, reason, recorded_at, recorded_by FROM rebaselines
WHERE id BETWEEN $1 AND $2 ORDER BY id;
