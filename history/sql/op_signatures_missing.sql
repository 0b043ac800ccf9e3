-- Which of these op signatures the dictionary does not hold yet.
-- Parameters: $1 ids uuid[]
-- Result: position bigint
SELECT w.position - 1
FROM unnest($1::uuid[]) WITH ORDINALITY AS w (id, position)
WHERE NOT EXISTS (SELECT FROM op_signatures o WHERE o.id = w.id);
