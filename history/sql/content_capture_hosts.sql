-- Canonical content of profiles: the hosts of each capture (history/chain/canonical.h).
-- Parameters: none
-- Copies: profile_id bigint, ordinal integer, sha256 bytea, host text, process bigint,
--     begin_ns bigint, end_ns bigint, capture_key text, job text, document text
COPY (
SELECT profile_id, ordinal, sha256, host, process, begin_ns, end_ns, capture_key, job, document
FROM capture_hosts
WHERE profile_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY profile_id, ordinal
) TO STDOUT (FORMAT binary);
