-- 0070: work state: candidates that wait to be judged.
--
-- A job of the queue may ask that what it stores is judged. What is judged is a commit with all its
-- profiles, or a profile that names no commit: who comes again while its verdict is made is judged
-- again (`asked` counts). `fence` counts the claims, as in the queue: the verdict and the end of
-- its judgement are one transaction that states the fence. The states are those of
-- history/judgement_state.c.

ALTER TABLE queue ADD COLUMN judge boolean NOT NULL DEFAULT false;

CREATE TABLE judgements (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project      text NOT NULL CHECK (length(project) BETWEEN 1 AND 200),
    workload     text NOT NULL CHECK (length(workload) BETWEEN 1 AND 200),
    candidate    text NOT NULL CHECK (length(candidate) BETWEEN 1 AND 200),
    branch       text CHECK (length(branch) BETWEEN 1 AND 500),
    commit_sha   text CHECK (length(commit_sha) BETWEEN 1 AND 200),
    state        text NOT NULL DEFAULT 'ready'
                 CHECK (state IN ('ready', 'running', 'done', 'aside')),
    asked        bigint NOT NULL DEFAULT 1,
    asked_at     timestamptz NOT NULL DEFAULT now(),
    attempt      integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    not_before   timestamptz NOT NULL DEFAULT now(),
    fence        bigint NOT NULL DEFAULT 0,
    worker       text,
    lease_until  timestamptz,
    failure_kind text,
    failure      text,
    verdict_id   bigint REFERENCES verdicts,
    finished_at  timestamptz,
    UNIQUE (project, workload, candidate),
    CHECK ((state = 'running') = (lease_until IS NOT NULL)),
    CHECK (state <> 'running' OR worker IS NOT NULL),
    CHECK (state <> 'aside' OR failure IS NOT NULL),
    CHECK ((state IN ('done', 'aside')) = (finished_at IS NOT NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
COMMENT ON COLUMN judgements.verdict_id IS 'the last one; failure says why there is none';
CREATE INDEX judgements_ready ON judgements (not_before, id) WHERE state = 'ready';
CREATE INDEX judgements_lease ON judgements (lease_until) WHERE state = 'running';

CALL ledger_grant('SELECT, INSERT, UPDATE, DELETE', ARRAY['judgements'],
    ARRAY['stepledger_ingest', 'stepledger_compare']);
CALL ledger_grant('SELECT', ARRAY['judgements'], ARRAY['stepledger_alert', 'stepledger_read']);
