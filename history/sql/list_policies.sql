-- Policies that verdicts rest on, the one that was used last first.
-- Parameters: $1 project text, $2 workload text, $3 branch text, $4 commit text, $5 run text,
--     $6 status text, $7 since_us bigint, $8 row_limit bigint
-- Result: policy text, verdicts bigint, newest_verdict text, used_at_utc timestamptz,
--     recorded_at_utc timestamptz
WITH used AS (
    SELECT v.policy_sha256 AS sha256, count(*) AS verdicts, max(v.id) AS newest,
           max(v.recorded_at) AS used_at
    FROM verdicts v JOIN projects j ON j.id = v.project_id
    WHERE ($1::text IS NULL OR j.name = $1) AND ($2::text IS NULL OR v.workload = $2)
      AND $3::text IS NULL AND $4::text IS NULL AND $5::text IS NULL AND $6::text IS NULL
    GROUP BY v.policy_sha256
)
SELECT encode(p.sha256, 'hex') AS policy, coalesce(u.verdicts, 0) AS verdicts,
       'v' || u.newest AS newest_verdict, u.used_at AS used_at_utc,
       p.recorded_at AS recorded_at_utc
FROM policies p LEFT JOIN used u ON u.sha256 = p.sha256
WHERE (u.verdicts > 0 OR ($1::text IS NULL AND $2::text IS NULL))
  AND ($7::bigint IS NULL OR extract(epoch FROM u.used_at) * 1000000 >= $7)
ORDER BY u.newest DESC NULLS LAST, p.recorded_at DESC LIMIT $8;
