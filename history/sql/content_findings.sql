-- Canonical content of profiles: what was noticed about each (history/chain/canonical.h).
-- Parameters: none
-- Copies: profile_id bigint, ordinal integer, code text, severity text, message text,
--     evidence text
COPY (
SELECT profile_id, ordinal, code, severity, message, evidence FROM findings
WHERE profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY profile_id, ordinal
) TO STDOUT (FORMAT binary);
