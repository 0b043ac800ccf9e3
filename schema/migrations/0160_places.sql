-- 0160: a better summary of known bytes stands where the old one stood.
--
-- What takes the place of a profile is appended later and is no later run: it stands in the history
-- where the first of those that it replaces stood, in the order of ids as in that of time, so that
-- levels, re-baselines and trends find it in its turn.

-- The id of the first profile of those that this one took the place of, directly or not; its own
-- when it took none.
CREATE FUNCTION ledger_place(profile_id bigint) RETURNS bigint STABLE LANGUAGE sql
RETURN (WITH RECURSIVE line (id) AS (
            SELECT ledger_place.profile_id
            UNION
            SELECT a.profile_id FROM line l JOIN stepledger.amendments a ON a.superseded_by = l.id)
        SELECT min(l.id) FROM line l);

-- recorded_at: when a ledger first took these bytes in, or the first host of this capture. place:
-- what the history is ordered by.
CREATE OR REPLACE VIEW present_profiles AS
SELECT p.id, p.project_id, p.series_id, p.series_id AS recorded_series_id, p.run, p.trace_sha256,
       (SELECT e.branch FROM profile_events e
        WHERE e.profile_id = p.id AND e.branch IS NOT NULL ORDER BY e.id LIMIT 1) AS branch,
       (SELECT e.commit_sha FROM profile_events e
        WHERE e.profile_id = p.id AND e.commit_sha IS NOT NULL ORDER BY e.id LIMIT 1)
           AS commit_sha,
       (SELECT e.label FROM profile_events e
        WHERE e.profile_id = p.id AND e.label IS NOT NULL ORDER BY e.id LIMIT 1) AS label,
       CASE WHEN EXISTS (SELECT FROM amendments b WHERE b.superseded_by = p.id)
           THEN (SELECT coalesce(fo.recorded_at, f.recorded_at)
                 FROM profiles f
                 LEFT JOIN origins fo ON fo.kind = 'profile' AND fo.subject_id = f.id
                 WHERE f.id = ledger_place(p.id))
           ELSE coalesce(o.recorded_at, p.recorded_at) END AS recorded_at,
       p.recorded_on,
       NULL::timestamptz AS retracted_at, NULL::bigint AS superseded_by, NULL::text AS reason,
       CASE WHEN EXISTS (SELECT FROM amendments b WHERE b.superseded_by = p.id)
           THEN ledger_place(p.id) ELSE p.id END AS place
FROM profiles p
LEFT JOIN origins o ON o.kind = 'profile' AND o.subject_id = p.id
WHERE NOT EXISTS (SELECT FROM amendments a WHERE a.profile_id = p.id)
UNION ALL
SELECT p.id, p.project_id, a.series_id, p.series_id, a.run, p.trace_sha256,
       coalesce(a.branch,
                (SELECT e.branch FROM profile_events e
                 WHERE e.profile_id = p.id AND e.id > a.branch_after AND e.branch IS NOT NULL
                 ORDER BY e.id LIMIT 1)),
       coalesce(a.commit_sha,
                (SELECT e.commit_sha FROM profile_events e
                 WHERE e.profile_id = p.id AND e.id > a.commit_after AND e.commit_sha IS NOT NULL
                 ORDER BY e.id LIMIT 1)),
       coalesce(a.label,
                (SELECT e.label FROM profile_events e
                 WHERE e.profile_id = p.id AND e.id > a.label_after AND e.label IS NOT NULL
                 ORDER BY e.id LIMIT 1)),
       CASE WHEN EXISTS (SELECT FROM amendments b WHERE b.superseded_by = p.id)
           THEN (SELECT coalesce(fo.recorded_at, f.recorded_at)
                 FROM profiles f
                 LEFT JOIN origins fo ON fo.kind = 'profile' AND fo.subject_id = f.id
                 WHERE f.id = ledger_place(p.id))
           ELSE coalesce(o.recorded_at, p.recorded_at) END,
       p.recorded_on,
       CASE WHEN a.retracted THEN coalesce(ao.recorded_at, a.recorded_at) END,
       a.superseded_by, a.reason,
       CASE WHEN EXISTS (SELECT FROM amendments b WHERE b.superseded_by = p.id)
           THEN ledger_place(p.id) ELSE p.id END
FROM last_amendments a
JOIN profiles p ON p.id = a.profile_id
LEFT JOIN origins o ON o.kind = 'profile' AND o.subject_id = p.id
LEFT JOIN origins ao ON ao.kind = 'amendment' AND ao.subject_id = a.id;
