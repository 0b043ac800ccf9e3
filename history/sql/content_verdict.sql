-- Canonical content of verdicts: the judgement and its document (history/canonical.h).
-- Parameters: $1 first bigint, $2 last bigint
-- Result: id bigint, project text, project_id bigint, workload text, series_id bigint,
--     status text, rule_id text, rule_version bigint, policy_sha256 bytea,
--     evidence_sha256 bytea, document text, recorded_at timestamptz, recorded_by text
SELECT v.id, j.name, v.project_id, v.workload, v.series_id, v.status, v.rule_id, v.rule_version,
       v.policy_sha256, v.evidence_sha256, v.document, v.recorded_at, v.recorded_by
FROM verdicts v JOIN projects j ON j.id = v.project_id
WHERE v.id BETWEEN $1 AND $2 ORDER BY v.id;
