-- New entries of the dictionary of ops. In the order of ids, so that two appenders with the same
-- new ops cannot deadlock. Those that another one added first are not in the result; its columns
-- are those of its content (history/rows.tables).
-- Parameters: $1 ids uuid[], $2 signatures text[], $3 example_names text[], $4 categories text[],
--     $5 opcodes text[], $6 shape_signatures text[], $7 op_paths text[], $8 introduced_by bigint
-- Result: introduced_by bigint, id uuid, signature text, example_name text, category text,
--     opcode text, shape_signature text, op_path text
WITH added AS (
    INSERT INTO op_signatures (id, signature, example_name, category, opcode, shape_signature,
                               op_path, introduced_by)
    SELECT o.*, $8
    FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
                $7::text[])
         AS o (id, signature, example_name, category, opcode, shape_signature, op_path)
    ORDER BY o.id
    ON CONFLICT (id) DO NOTHING
    RETURNING *
)
SELECT introduced_by, id, signature, example_name, category, opcode, shape_signature, op_path
FROM added ORDER BY id;
