-- Profiles in a range of ids with their entries; those of other months come along, because their
-- rows do.
-- Parameters: $1 after_id bigint, $2 last_id bigint, $3 month text, $4 row_limit bigint
-- Result: id bigint, in_month boolean, project text, workload text, run text, trace_sha256 bytea,
--     chain text, position bigint, content_sha256 bytea, entry_sha256 bytea
SELECT p.id, date_trunc('month', p.recorded_on::timestamp)::date = to_date($3::text, 'YYYY-MM'),
       j.name, s.workload, p.run, p.trace_sha256, e.chain, e.position, e.content_sha256,
       e.entry_sha256
FROM profiles p
JOIN projects j ON j.id = p.project_id
JOIN series s ON s.id = p.series_id
LEFT JOIN entries e ON e.kind = 'profile' AND e.subject_id = p.id
WHERE p.id > $1 AND p.id <= $2
ORDER BY p.id LIMIT $4;
