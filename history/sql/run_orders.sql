-- Where profiles, or what counts in their place, stand in the order of runs by corrections of
-- before corrected_us. In the order of the ids; of one that is not there, no row.
-- Parameters: $1 ids bigint[], $2 corrected_us bigint
-- Result: nth bigint, ran_at timestamptz, place bigint
SELECT i.nth, o.ran_at, o.place
FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, nth)
CROSS JOIN LATERAL run_order_at(
    i.id, coalesce(to_timestamp($2::bigint / 1000000.0), 'infinity')) o
ORDER BY i.nth;
