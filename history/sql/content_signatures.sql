-- Canonical content of profiles: the ops that came into the dictionary with each
-- (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: introduced_by bigint, id uuid, signature text, example_name text, category text,
--     opcode text, shape_signature text, op_path text
SELECT introduced_by, id, signature, example_name, category, opcode, shape_signature, op_path
FROM op_signatures
WHERE introduced_by BETWEEN $1 AND $2 ORDER BY introduced_by, id;
