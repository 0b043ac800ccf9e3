-- The hosts of a capture, column by column.
-- Parameters: $1 profile_ids bigint[], $2 ordinals integer[], $3 sha256s bytea[], $4 hosts text[],
--     $5 processes bigint[], $6 begins_ns bigint[], $7 ends_ns bigint[], $8 capture_keys text[],
--     $9 jobs text[], $10 documents text[]
-- Result: none
INSERT INTO capture_hosts (profile_id, ordinal, sha256, host, process, begin_ns, end_ns,
                           capture_key, job, document)
SELECT * FROM unnest($1::bigint[], $2::integer[], $3::bytea[], $4::text[], $5::bigint[],
                     $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::text[]);
