-- Subjects of one kind, up to an id, that have no entry yet, and the chain that each belongs to.
-- Parameters: $1 kind text, $2 last_id bigint, $3 row_limit bigint
-- Result: id bigint, chain text
SELECT q.id, q.chain
FROM (
    SELECT p.id, 's' || p.series_id AS chain FROM profiles p WHERE $1::text = 'profile'
    UNION ALL
    SELECT e.id, 's' || p.series_id
    FROM profile_events e JOIN profiles p ON p.id = e.profile_id WHERE $1::text = 'event'
    UNION ALL
    SELECT v.id, coalesce('s' || v.series_id, 'j' || v.project_id)
    FROM verdicts v WHERE $1::text = 'verdict'
    UNION ALL
    SELECT d.id, chain_of_verdict(d.verdict_id) FROM deliveries d WHERE $1::text = 'delivery'
    UNION ALL
    SELECT a.id, 'j' || a.project_id FROM acceptances a WHERE $1::text = 'acceptance'
    UNION ALL
    SELECT r.id, 's' || r.series_id FROM rebaselines r WHERE $1::text = 'rebaseline'
    UNION ALL
    SELECT l.id, 'j' || l.project_id FROM alert_events l WHERE $1::text = 'alert'
    UNION ALL
    SELECT t.id, 'j' || t.project_id FROM track_records t WHERE $1::text = 'track'
) AS q
WHERE q.id <= $2
  AND NOT EXISTS (SELECT FROM entries e WHERE e.kind = $1 AND e.subject_id = q.id)
ORDER BY q.id LIMIT $3;
