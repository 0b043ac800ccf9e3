-- Canonical content of profiles: the tracked measures (history/chain/canonical.h).
-- Parameters: none
-- Copies: profile_id bigint, series_id bigint, measure integer, value float8
COPY (
SELECT profile_id, series_id, measure, value FROM measures
WHERE profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY profile_id, measure
) TO STDOUT (FORMAT binary);
