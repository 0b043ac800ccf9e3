-- The ops of profiles that take time in steady steps, in the order of the ids, then as the op table
-- has them. Profiles whose month is in an archive have none.
-- Parameters: $1 ids bigint[]
-- Result: place bigint, signature text, category text, opcode text, phase text,
--     shape_signature text, op_path text, count bigint, steady_count bigint,
--     steady_self_ps bigint, flops float8
SELECT i.place, g.signature, g.category, g.opcode, o.phase, g.shape_signature, g.op_path,
       o.count, o.steady_count, o.steady_self_ps, o.flops
FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, place)
JOIN profiles h ON h.id = i.id
JOIN op_rows o ON o.profile_id = i.id AND o.recorded_on = h.recorded_on
JOIN op_signatures g ON g.id = o.signature_id
WHERE NOT o.asynchronous AND o.steady_self_ps > 0 AND o.count > 0
ORDER BY i.place, o.ordinal;
