-- Canonical content of profiles: the document (history/chain/canonical.h).
-- A row of another day than its profile belongs to nobody: readers do not find it.
-- Parameters: none
-- Copies: profile_id bigint, document text
COPY (
SELECT CASE WHEN p.recorded_on <> r.recorded_on THEN NULL ELSE r.profile_id END, r.document
FROM summaries r
LEFT JOIN profiles p
    ON p.id = r.profile_id
    AND p.id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
        AND (SELECT current_setting('stepledger.last')::bigint)
WHERE r.profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY r.profile_id
) TO STDOUT (FORMAT binary);
