-- What was noticed about a profile, column by column.
-- Parameters: $1 profile_ids bigint[], $2 ordinals integer[], $3 codes text[],
--     $4 severities text[], $5 messages text[], $6 evidences text[]
-- Result: none
INSERT INTO findings (profile_id, ordinal, code, severity, message, evidence)
SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::text[]);
