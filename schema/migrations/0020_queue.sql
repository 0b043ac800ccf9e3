-- 0020: work state: the queue of profiles to ingest, who works on it, and when regular tasks were
-- last done.
--
-- Work state may change and go; what came of it is in the ledger. A job is one capture: its files,
-- by path or with their bytes. `fence` counts the claims of a job: a worker states the number that
-- it was given, so the late result of one that lost its lease is refused. The states are those of
-- history/queue_state.c.

CREATE TABLE queue (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project      text NOT NULL CHECK (length(project) BETWEEN 1 AND 200),
    workload     text NOT NULL CHECK (length(workload) BETWEEN 1 AND 200),
    branch       text CHECK (length(branch) BETWEEN 1 AND 500),
    commit_sha   text CHECK (length(commit_sha) BETWEEN 1 AND 200),
    run          text CHECK (length(run) BETWEEN 1 AND 200),
    label        text CHECK (length(label) BETWEEN 1 AND 200),
    path         text NOT NULL,
    options      text NOT NULL,
    dedupe_key   text UNIQUE CHECK (length(dedupe_key) BETWEEN 1 AND 200),
    state        text NOT NULL DEFAULT 'ready'
                 CHECK (state IN ('ready', 'running', 'done', 'aside', 'dropped')),
    attempt      integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    max_attempts integer NOT NULL CHECK (max_attempts > 0),
    not_before   timestamptz NOT NULL DEFAULT now(),
    fence        bigint NOT NULL DEFAULT 0,
    worker       text,
    lease_until  timestamptz,
    failure_kind text,
    failure      text,
    profile_id   bigint REFERENCES profiles,
    duplicate    boolean,
    submitted_at timestamptz NOT NULL DEFAULT now(),
    submitted_by text NOT NULL DEFAULT session_user,
    finished_at  timestamptz,
    CHECK ((state = 'running') = (lease_until IS NOT NULL)),
    CHECK (state <> 'running' OR worker IS NOT NULL),
    CHECK ((state = 'done') = (profile_id IS NOT NULL)),
    CHECK (state <> 'aside' OR failure IS NOT NULL),
    CHECK ((state IN ('done', 'aside', 'dropped')) = (finished_at IS NOT NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX queue_ready ON queue (not_before, id) WHERE state = 'ready';
CREATE INDEX queue_lease ON queue (lease_until) WHERE state = 'running';
CREATE INDEX queue_finished ON queue (finished_at) WHERE finished_at IS NOT NULL;

-- The files of a job: read from the path, or from the bytes when they came with the job. Bytes are
-- dropped when it is done.
CREATE TABLE queue_files (
    job_id  bigint NOT NULL REFERENCES queue ON DELETE CASCADE,
    ordinal integer NOT NULL,
    path    text NOT NULL,
    body    bytea COMPRESSION lz4,
    PRIMARY KEY (job_id, ordinal)
);

-- Processes that take jobs, as they report themselves.
CREATE TABLE workers (
    name       text PRIMARY KEY,
    kind       text NOT NULL,
    slots      integer NOT NULL,
    busy       integer NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at    timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- Regular tasks (ops/serve/schedule.c): each is done by one of all schedulers when its time has
-- come.
CREATE TABLE schedules (
    name        text PRIMARY KEY,
    last_run_at timestamptz NOT NULL,
    failure     text
) WITH (fillfactor = 50);

DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['stepledger', 'stepledger_ingest'] LOOP
        IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = role_name) THEN
            EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE '
                           'ON queue, queue_files, workers, schedules TO %I', role_name);
        END IF;
    END LOOP;
    IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'stepledger_read') THEN
        GRANT SELECT ON queue, queue_files, workers, schedules TO stepledger_read;
    END IF;
END
$$;
