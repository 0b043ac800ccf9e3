-- 0260: the branch and the commit of a profile that were asked for.
--
-- The same bytes may be of several branches and commits, and present_profiles names the first ones.
-- Who asks for one of them is shown that one, and what was said beside it: of a commit the branch
-- of the same words, of a branch the commit. Without a match both are NULL.

CREATE FUNCTION matching_names(of_profile bigint, of_branch text, of_commit text)
RETURNS TABLE (branch text, commit_sha text)
STABLE LANGUAGE sql
BEGIN ATOMIC
WITH names AS (
    SELECT n.kind, n.name, n.since_event_id,
           CASE n.kind
               WHEN 'branch' THEN n.name = matching_names.of_branch
               WHEN 'commit' THEN n.name >= matching_names.of_commit
                                  AND n.name < matching_names.of_commit || '~'
           END AS is_asked
    FROM stepledger.present_names n WHERE n.profile_id = matching_names.of_profile
),
beside AS (
    SELECT n.kind, n.name, n.is_asked, n.since_event_id FROM names n
    WHERE n.is_asked
       OR EXISTS (SELECT FROM names a WHERE a.is_asked AND a.since_event_id = n.since_event_id)
)
SELECT (SELECT b.name FROM beside b WHERE b.kind = 'branch'
        ORDER BY b.is_asked DESC NULLS LAST, b.since_event_id LIMIT 1),
       (SELECT b.name FROM beside b WHERE b.kind = 'commit'
        ORDER BY b.is_asked DESC NULLS LAST, b.since_event_id LIMIT 1);
END;
