-- The profiles whose place a profile took: why, when and by whom that was said first.
-- Parameters: $1 id bigint
-- Result: profile text, reason text, recorded_at timestamptz, recorded_by text
SELECT DISTINCT ON (a.profile_id) 'p' || a.profile_id, a.reason,
       coalesce(o.recorded_at, a.recorded_at),
       coalesce(o.recorded_by, entry_author('amendment', a.id, a.recorded_by))
FROM amendments a
LEFT JOIN origins o ON o.kind = 'amendment' AND o.subject_id = a.id
WHERE a.superseded_by = $1 AND a.action = 'supersede'
ORDER BY a.profile_id, a.id;
