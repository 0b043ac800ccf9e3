-- Summary documents out of an archive: as their content has them, then their day.
-- Parameters: none
-- Copies: profile_id bigint, document text, recorded_on date
COPY summaries (profile_id, document, recorded_on) FROM STDIN (FORMAT binary);
