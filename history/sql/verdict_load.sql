-- The document of a verdict.
-- Parameters: $1 id bigint
-- Result: document text
SELECT document FROM verdicts WHERE id = $1;
