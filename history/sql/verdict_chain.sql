-- The name of the chain that a verdict hangs on.
-- Parameters: $1 id bigint
-- Result: chain text
SELECT coalesce('s' || v.series_id, 'j' || v.project_id) FROM verdicts v WHERE v.id = $1;
