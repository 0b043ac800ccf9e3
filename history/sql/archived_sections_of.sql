-- The sections of profiles in a range whose rows are in an archive now.
-- Parameters: $1 first bigint, $2 last bigint
-- Result: profile_id bigint, section text, row_count bigint, sha256 bytea
SELECT s.profile_id, s.section, s.row_count, s.sha256
FROM archived_sections s JOIN profiles p ON p.id = s.profile_id
WHERE s.profile_id BETWEEN $1 AND $2 AND s.archive_id = ledger_month_archive(p.recorded_on)
ORDER BY s.profile_id;
