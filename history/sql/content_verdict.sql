-- Canonical content of verdicts: the judgement and its document (history/chain/canonical.h).
-- Parameters: none
-- Copies: id bigint, project text, project_id bigint, workload text, series_id bigint,
--     status text, rule_id text, rule_version bigint, policy_sha256 bytea,
--     evidence_sha256 bytea, document text, recorded_at timestamptz, recorded_by text
COPY (
SELECT v.id, j.name, v.project_id, v.workload, v.series_id, v.status, v.rule_id, v.rule_version,
       v.policy_sha256, v.evidence_sha256, v.document, v.recorded_at, v.recorded_by
FROM verdicts v JOIN projects j ON j.id = v.project_id
WHERE v.id BETWEEN (SELECT current_setting('stepledger.first')::bigint)
    AND (SELECT current_setting('stepledger.last')::bigint)
ORDER BY v.id
) TO STDOUT (FORMAT binary);
