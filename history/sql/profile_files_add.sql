-- The input files of a profile, column by column.
-- Parameters: $1 profile_ids bigint[], $2 ordinals integer[], $3 paths text[], $4 hosts text[],
--     $5 sha256s bytea[], $6 sizes_bytes bigint[]
-- Result: none
INSERT INTO profile_files (profile_id, ordinal, path, host, sha256, size_bytes)
SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::bytea[],
                     $6::bigint[]);
