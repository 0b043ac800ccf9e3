-- Rows of step_spans out of an archive: as their content has them, then their day.
-- Parameters: none
-- Copies: profile_id bigint, number bigint, device integer, start_ps bigint, duration_ps bigint,
--     recorded_on date
COPY step_spans (profile_id, number, device, start_ps, duration_ps, recorded_on)
FROM STDIN (FORMAT binary);
