-- The hosts of a profile, column by column.
-- Parameters: $1 profile_ids bigint[], $2 ordinals integer[], $3 names text[]
-- Result: none
INSERT INTO profile_hosts (profile_id, ordinal, name)
SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[]);
