-- The document of a report.
-- Parameters: $1 report_id bigint
-- Result: document text
SELECT document FROM reports WHERE id = $1;
