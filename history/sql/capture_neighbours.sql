-- The hosts of present captures of a workload that may be one capture with others: those with the
-- same key, those of the same job's directory, those of the same run, those whose windows meet. The
-- document is that of the host alone; NULL: it is not at hand any more, or was not asked for, or
-- cannot be needed, since the windows of two captures that both say their times miss each other: a
-- long job's thousand captures are not read for each that comes.
-- Parameters: $1 project text, $2 workload text, $3 capture_key text, $4 job text, $5 run text,
--     $6 begin_ns bigint, $7 end_ns bigint, $8 timed boolean, $9 documents boolean
-- Result: profile_id bigint, run text, branch text, commit_sha text, in_job boolean, sha256 text,
--     document text, format text, path text
WITH near AS (
    SELECT m.profile_id FROM capture_hosts m WHERE m.begin_ns <= $7 AND m.end_ns >= $6
    UNION SELECT m.profile_id FROM capture_hosts m WHERE m.capture_key = $3
)
SELECT p.id, p.run, p.branch, p.commit_sha,
       EXISTS (SELECT FROM capture_hosts j WHERE j.profile_id = p.id AND j.job = $4),
       encode(h.sha256, 'hex'),
       CASE WHEN $9 AND (NOT $8 OR p.id IN (SELECT n.profile_id FROM near n)
                         OR EXISTS (SELECT FROM capture_hosts u
                                    WHERE u.profile_id = p.id AND u.begin_ns IS NULL)) THEN
           (SELECT coalesce(d.document, s.document)
            FROM capture_hosts d
            JOIN profiles o ON o.id = d.profile_id AND o.project_id = p.project_id
            LEFT JOIN summaries s ON s.profile_id = d.profile_id
                AND d.document IS NULL AND o.trace_sha256 = d.sha256
            WHERE d.sha256 = h.sha256 AND (d.document IS NOT NULL OR s.document IS NOT NULL)
            ORDER BY d.profile_id DESC LIMIT 1)
       END,
       t.source_format, (SELECT f.path FROM profile_files f
                         WHERE f.profile_id = p.id AND f.sha256 = h.sha256
                         ORDER BY f.ordinal LIMIT 1)
FROM present_profiles p
JOIN profiles t ON t.id = p.id
JOIN capture_hosts h ON h.profile_id = p.id
WHERE p.series_id = ANY (ARRAY(SELECT s.id FROM series s JOIN projects j ON j.id = s.project_id
                               WHERE j.name = $1 AND s.workload = $2))
  AND p.superseded_by IS NULL AND p.retracted_at IS NULL
  AND p.id = ANY (ARRAY(SELECT n.profile_id FROM near n
                        UNION SELECT m.profile_id FROM capture_hosts m WHERE m.job = $4
                        UNION SELECT r.id FROM profiles r WHERE r.run = $5
                        UNION SELECT a.profile_id FROM last_amendments a WHERE a.run = $5))
ORDER BY p.id, h.ordinal;
