-- The hosts of a profile.
-- Parameters: none
-- Copies: profile_id bigint, ordinal integer, name text
COPY profile_hosts (profile_id, ordinal, name) FROM STDIN (FORMAT binary);
