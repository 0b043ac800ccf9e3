-- The provenance of a profile, column by column.
-- Parameters: $1 profile_ids bigint[], $2 names text[], $3 values text[], $4 sources text[]
-- Result: none
INSERT INTO profile_facts (profile_id, name, value, source)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[]);
