-- How often a verdict's alert made this move, and the verdict's series.
-- Parameters: $1 verdict_id bigint, $2 branch text, $3 from_state text, $4 action text,
--     $5 reason text
-- Result: count bigint, series text
SELECT (SELECT count(*) FROM alert_events e
        WHERE e.verdict_id = v.id AND e.branch = $2 AND coalesce(e.from_state, 'none') = $3
          AND e.action = $4 AND e.reason IS NOT DISTINCT FROM $5),
       coalesce('s' || v.series_id, '')
FROM verdicts v WHERE v.id = $1;
