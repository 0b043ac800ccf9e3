-- Keeps the digests of a profile's sections, when none are kept.
-- Parameters: $1 profile_id bigint, $2 sections bytea
-- Result: none
INSERT INTO content_sections (profile_id, sections) VALUES ($1, $2) ON CONFLICT DO NOTHING;
