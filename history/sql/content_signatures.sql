-- Canonical content of profiles: the ops that came into the dictionary with each
-- (history/chain/canonical.h).
-- Parameters: none
-- Copies: introduced_by bigint, id uuid, signature text, example_name text, category text,
--     opcode text, shape_signature text, op_path text
COPY (
SELECT introduced_by, id, signature, example_name, category, opcode, shape_signature, op_path
FROM op_signatures
WHERE introduced_by BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY introduced_by, id
) TO STDOUT (FORMAT binary);
