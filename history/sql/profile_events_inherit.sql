-- Says of a profile what counts for the one that it supersedes and nobody said of it yet.
-- Parameters: $1 profile_id bigint, $2 from_id bigint
-- Result: id bigint, chain text
WITH added AS (
    INSERT INTO profile_events (profile_id, branch, commit_sha, label)
    SELECT $1, CASE n.kind WHEN 'branch' THEN n.name END,
           CASE n.kind WHEN 'commit' THEN n.name END, CASE n.kind WHEN 'label' THEN n.name END
    FROM present_names n
    WHERE n.profile_id = $2
      AND NOT EXISTS (SELECT FROM present_names h
                      WHERE h.profile_id = $1 AND h.kind = n.kind AND h.name = n.name)
    ORDER BY n.since_event_id
    RETURNING id
)
SELECT added.id, 's' || p.series_id FROM added JOIN profiles p ON p.id = $1 ORDER BY added.id;
