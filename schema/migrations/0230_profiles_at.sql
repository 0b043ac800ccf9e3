-- 0230: what was said of profiles at a time.
--
-- A report is made again as it was made: corrections that were appended later do not count, neither
-- amendments and retractions nor hosts and summaries that came later, nor branches that the same
-- bytes were said to be of. Without a time (infinity) it is what present_profiles and present_names
-- tell. What came from another ledger counts from when it was said there; what was said of a
-- profile first, from when the profile was recorded.

CREATE FUNCTION amendments_at(at timestamptz)
RETURNS TABLE (id bigint, profile_id bigint, ordinal integer, series_id bigint, run text,
               branch text, branch_after bigint, commit_sha text, commit_after bigint,
               retracted boolean, superseded_by bigint)
STABLE LANGUAGE sql
BEGIN ATOMIC
SELECT a.id, a.profile_id, a.ordinal, a.series_id, a.run, a.branch, a.branch_after, a.commit_sha,
       a.commit_after, a.retracted, a.superseded_by
FROM stepledger.amendments a
LEFT JOIN stepledger.origins o ON o.kind = 'amendment' AND o.subject_id = a.id
WHERE coalesce(o.recorded_at, a.recorded_at) < at;
END;

CREATE FUNCTION events_at(at timestamptz)
RETURNS TABLE (id bigint, profile_id bigint, branch text, commit_sha text)
STABLE LANGUAGE sql
BEGIN ATOMIC
SELECT e.id, e.profile_id, e.branch, e.commit_sha
FROM stepledger.profile_events e
WHERE e.recorded_at < at
   OR NOT EXISTS (SELECT FROM stepledger.profile_events f
                  WHERE f.profile_id = e.profile_id AND f.id < e.id);
END;

-- ledger_place by what was said before `at`.
CREATE FUNCTION ledger_place_at(profile_id bigint, at timestamptz) RETURNS bigint
STABLE LANGUAGE sql
RETURN (WITH RECURSIVE line (id) AS (
            SELECT ledger_place_at.profile_id
            UNION
            SELECT a.profile_id FROM line l
            JOIN stepledger.amendments_at(ledger_place_at.at) a ON a.superseded_by = l.id)
        SELECT min(l.id) FROM line l);

-- Ask by recorded_series_id, which is read by its index.
CREATE FUNCTION profiles_at(at timestamptz)
RETURNS TABLE (id bigint, place bigint, run text, series_id bigint, recorded_series_id bigint,
               recorded_at timestamptz, recorded_on date, branch text, commit_sha text,
               retracted boolean, superseded_by bigint)
STABLE LANGUAGE sql
BEGIN ATOMIC
SELECT p.id, f.id, coalesce(a.run, p.run), coalesce(a.series_id, p.series_id), p.series_id,
       coalesce(o.recorded_at, f.recorded_at), p.recorded_on,
       coalesce(a.branch,
                (SELECT e.branch FROM stepledger.events_at(at) e
                 WHERE e.profile_id = p.id AND e.id > coalesce(a.branch_after, 0)
                   AND e.branch IS NOT NULL
                 ORDER BY e.id LIMIT 1)),
       coalesce(a.commit_sha,
                (SELECT e.commit_sha FROM stepledger.events_at(at) e
                 WHERE e.profile_id = p.id AND e.id > coalesce(a.commit_after, 0)
                   AND e.commit_sha IS NOT NULL
                 ORDER BY e.id LIMIT 1)),
       coalesce(a.retracted, false), a.superseded_by
FROM stepledger.profiles p
LEFT JOIN LATERAL (
    SELECT n.* FROM stepledger.amendments_at(at) n WHERE n.profile_id = p.id
    ORDER BY n.ordinal DESC LIMIT 1) a ON true
JOIN stepledger.profiles f ON f.id =
    CASE WHEN EXISTS (SELECT FROM stepledger.amendments b WHERE b.superseded_by = p.id)
         THEN stepledger.ledger_place_at(p.id, at) ELSE p.id END
LEFT JOIN stepledger.origins o ON o.kind = 'profile' AND o.subject_id = f.id;
END;

-- Every branch that counts for a profile.
CREATE FUNCTION branches_at(at timestamptz)
RETURNS TABLE (profile_id bigint, name text)
STABLE LANGUAGE sql
BEGIN ATOMIC
SELECT e.profile_id, e.branch COLLATE "C"
FROM stepledger.events_at(at) e
WHERE e.branch IS NOT NULL
  AND NOT EXISTS (SELECT FROM stepledger.amendments_at(at) a
                  WHERE a.profile_id = e.profile_id AND a.branch_after > 0
                    AND a.branch_after >= e.id)
UNION ALL
SELECT a.profile_id, a.branch COLLATE "C"
FROM stepledger.amendments_at(at) a
WHERE a.branch IS NOT NULL
  AND NOT EXISTS (SELECT FROM stepledger.amendments_at(at) n
                  WHERE n.profile_id = a.profile_id AND n.ordinal > a.ordinal);
END;
