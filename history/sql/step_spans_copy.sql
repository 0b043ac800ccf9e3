-- Each step of a profile on each device.
-- Parameters: none
-- Copies: profile_id bigint, number bigint, device integer, start_ps bigint, duration_ps bigint
COPY step_spans (profile_id, number, device, start_ps, duration_ps) FROM STDIN (FORMAT binary);
