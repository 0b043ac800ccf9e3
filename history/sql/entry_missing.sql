-- Subjects of one kind, up to an id, that have no entry yet.
-- Parameters: $1 kind text, $2 last_id bigint
-- Result: id bigint
SELECT q.id
FROM (
    SELECT id FROM profiles WHERE $1::text = 'profile'
    UNION ALL SELECT id FROM profile_events WHERE $1::text = 'event'
    UNION ALL SELECT id FROM verdicts WHERE $1::text = 'verdict'
    UNION ALL SELECT id FROM deliveries WHERE $1::text = 'delivery'
    UNION ALL SELECT id FROM acceptances WHERE $1::text = 'acceptance'
    UNION ALL SELECT id FROM rebaselines WHERE $1::text = 'rebaseline'
    UNION ALL SELECT id FROM alert_events WHERE $1::text = 'alert'
    UNION ALL SELECT id FROM track_records WHERE $1::text = 'track'
    UNION ALL SELECT id FROM projects WHERE $1::text = 'project'
    UNION ALL SELECT id FROM series WHERE $1::text = 'series'
    UNION ALL SELECT id FROM policies WHERE $1::text = 'policy'
) AS q
WHERE q.id <= $2
  AND NOT EXISTS (SELECT FROM entries e WHERE e.kind = $1 AND e.subject_id = q.id)
ORDER BY q.id;
