-- The branches of the last profiles that have one, each once, the newest first.
-- Parameters: $1 profiles bigint
-- Result: branch text
SELECT e.branch
FROM (SELECT p.id, p.branch FROM profile_events p
      WHERE p.branch IS NOT NULL ORDER BY p.id DESC LIMIT $1) AS e
GROUP BY e.branch
ORDER BY max(e.id) DESC;
