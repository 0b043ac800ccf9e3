-- The profiles that a verdict rests on, in their order.
-- Parameters: $1 verdict_id bigint, $2 side text, $3 profile_ids bigint[]
-- Result: none
INSERT INTO verdict_inputs (verdict_id, side, ordinal, profile_id)
SELECT $1, $2, i.position - 1, i.id
FROM unnest($3::bigint[]) WITH ORDINALITY AS i (id, position);
