-- Canonical content of re-baselines (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, series_id bigint, after_profile_id bigint, reason text,
--     recorded_at timestamptz, recorded_by text
COPY (
SELECT id, series_id, after_profile_id, reason, recorded_at, recorded_by FROM rebaselines
WHERE id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY id
) TO STDOUT (FORMAT binary);
