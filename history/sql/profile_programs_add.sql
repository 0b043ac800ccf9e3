-- The compiled programs that a profile ran, column by column.
-- Parameters: $1 profile_ids bigint[], $2 ordinals integer[], $3 names text[],
--     $4 fingerprints text[], $5 run_counts bigint[]
-- Result: none
INSERT INTO profile_programs (profile_id, ordinal, name, fingerprint, run_count)
SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::bigint[]);
