-- A verdict under the number that this session reserved last. Its series is the one of the
-- candidate.
-- Parameters: $1 project_id bigint, $2 workload text, $3 candidate_id bigint,
--     $4 status text, $5 rule_id text, $6 rule_version bigint, $7 policy_sha256 text,
--     $8 evidence_sha256 text, $9 document text
-- Result: id bigint
INSERT INTO verdicts (project_id, workload, series_id, status, rule_id, rule_version,
                      policy_sha256, evidence_sha256, document)
VALUES ($1, $2,
        (SELECT p.series_id FROM present_profiles p WHERE p.id = $3 AND p.project_id = $1),
        $4, $5, $6, decode($7, 'hex'), decode($8, 'hex'), $9)
RETURNING id;
