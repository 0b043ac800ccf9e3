-- Canonical content of what came from another ledger: when it was recorded there, and by whom
-- (history/chain/canonical.h).
-- Parameters: none
-- Copies: subject_id bigint, recorded_at timestamptz, recorded_by text
COPY (
SELECT subject_id, recorded_at, recorded_by FROM origins
WHERE kind = (SELECT current_setting('stepledger.kind'))
  AND subject_id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY subject_id
) TO STDOUT (FORMAT binary);
