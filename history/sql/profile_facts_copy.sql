-- The provenance of a profile.
-- Parameters: none
-- Copies: profile_id bigint, name text, value text, source text
COPY profile_facts (profile_id, name, value, source) FROM STDIN (FORMAT binary);
