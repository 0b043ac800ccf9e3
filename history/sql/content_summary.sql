-- Canonical content of profiles: the document (history/canonical.h).
-- Parameters: none
-- Copies: profile_id bigint, document text
COPY (
SELECT profile_id, document FROM summaries
WHERE profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY profile_id
) TO STDOUT (FORMAT binary);
