-- Re-baselines behind an id; each belongs to the series of the profile behind which it begins. With
-- when and by whom they were recorded first.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint, after_profile_id bigint, reason text, recorded_at timestamptz,
--     recorded_by text
SELECT r.id, r.after_profile_id, r.reason, coalesce(o.recorded_at, r.recorded_at),
       coalesce(o.recorded_by, entry_author('rebaseline', r.id, r.recorded_by))
FROM rebaselines r
LEFT JOIN origins o ON o.kind = 'rebaseline' AND o.subject_id = r.id
WHERE r.id > $1 AND r.after_profile_id > 0 ORDER BY r.id LIMIT $2;
