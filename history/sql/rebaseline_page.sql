-- Re-baselines behind an id, each with a profile of its series: the one behind which it begins, or,
-- where it begins with the first run, the first. With when and by whom they were recorded first.
-- Parameters: $1 after_id bigint, $2 row_limit bigint
-- Result: id bigint, of_profile_id bigint, after_profile_id bigint, reason text,
--     recorded_at timestamptz, recorded_by text
SELECT r.id, f.id, r.after_profile_id, r.reason, coalesce(o.recorded_at, r.recorded_at),
       coalesce(o.recorded_by, entry_author('rebaseline', r.id, r.recorded_by))
FROM rebaselines r
CROSS JOIN LATERAL (SELECT CASE WHEN r.after_profile_id > 0 THEN r.after_profile_id
                                ELSE (SELECT min(p.id) FROM present_profiles p
                                      WHERE p.series_id = r.series_id) END AS id) f
LEFT JOIN origins o ON o.kind = 'rebaseline' AND o.subject_id = r.id
WHERE r.id > $1 AND f.id IS NOT NULL ORDER BY r.id LIMIT $2;
