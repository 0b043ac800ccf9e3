-- 0101: whether what a verdict rests on was retracted later.

-- Why the profile, or the one that took its place, was retracted; NULL: it was not. Who is asked
-- about a verdict of before means the capture, whichever reading of it counts now.
CREATE FUNCTION profile_retraction(profile_id bigint) RETURNS text STABLE LANGUAGE sql
RETURN (WITH RECURSIVE line AS (
            SELECT a.retracted, a.superseded_by, a.reason
            FROM stepledger.last_amendments a
            WHERE a.profile_id = profile_retraction.profile_id
            UNION ALL
            SELECT a.retracted, a.superseded_by, a.reason
            FROM line l JOIN stepledger.last_amendments a ON a.profile_id = l.superseded_by)
        SELECT l.reason FROM line l WHERE l.retracted LIMIT 1);
