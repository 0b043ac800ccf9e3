-- A verdict under its reserved number. Its series is the one of the candidate.
-- Parameters: $1 id bigint, $2 project_id bigint, $3 workload text, $4 candidate_id bigint,
--     $5 status text, $6 rule_id text, $7 rule_version bigint, $8 policy_sha256 text,
--     $9 evidence_sha256 text, $10 document text
-- Result: none
INSERT INTO verdicts (id, project_id, workload, series_id, status, rule_id, rule_version,
                      policy_sha256, evidence_sha256, document)
OVERRIDING SYSTEM VALUE
VALUES ($1, $2, $3,
        (SELECT p.series_id FROM present_profiles p WHERE p.id = $4 AND p.project_id = $2),
        $5, $6, $7, decode($8, 'hex'), decode($9, 'hex'), $10);
