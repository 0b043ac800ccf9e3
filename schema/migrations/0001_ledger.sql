-- 0001: the ledger: projects, series, profiles with all that is known of them, verdicts.
--
-- Append-only: the program inserts and selects, nothing else. Rows that come by the hundred per
-- profile (steps, spans, op rows) arrive by COPY, lie together by profile, carry no foreign key
-- per row and only a BRIN index: a b-tree on them costs megabytes of WAL per profile. Times are
-- integer picoseconds (_ps). All names live in the schema `stepledger`.

CREATE TABLE projects (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- What may be compared over time at all. A NULL is a fact that the profile does not tell.
CREATE TABLE series (
    id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id         bigint NOT NULL REFERENCES projects,
    workload           text NOT NULL CHECK (length(workload) BETWEEN 1 AND 200),
    device_type        text CHECK (length(device_type) BETWEEN 1 AND 200),
    device_count       bigint CHECK (device_count >= 0),
    host_count         bigint CHECK (host_count >= 0),
    topology           text CHECK (length(topology) BETWEEN 1 AND 200),
    definition_version bigint NOT NULL,
    recorded_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (id, project_id),
    UNIQUE NULLS NOT DISTINCT (project_id, workload, device_type, device_count, host_count,
                               topology, definition_version)
);

-- One capture. Ids ascend in commit order within (project, workload): appends of one workload
-- wait for each other.
CREATE TABLE profiles (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id       bigint NOT NULL REFERENCES projects,
    series_id        bigint NOT NULL,
    run              text NOT NULL CHECK (length(run) BETWEEN 1 AND 200),
    trace_sha256     bytea NOT NULL CHECK (octet_length(trace_sha256) = 32),
    schema_version   text NOT NULL,
    source_format    text,
    source_path      text,
    producer_version text,
    breakdown_mode   text,
    recorded_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_by      text NOT NULL DEFAULT session_user,
    UNIQUE (project_id, trace_sha256),
    FOREIGN KEY (series_id, project_id) REFERENCES series (id, project_id)
);
CREATE INDEX profiles_of_series ON profiles (series_id, id);

-- What was said about where the bytes belong: one row with the profile itself, one more whenever
-- the same bytes come again with a branch, commit or label that is new to them.
CREATE TABLE profile_events (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    profile_id  bigint NOT NULL REFERENCES profiles,
    branch      text CHECK (length(branch) BETWEEN 1 AND 500),
    commit_sha  text CHECK (length(commit_sha) BETWEEN 1 AND 200),
    label       text CHECK (length(label) BETWEEN 1 AND 200),
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_by text NOT NULL DEFAULT session_user
);
CREATE INDEX profile_events_of_profile ON profile_events (profile_id, id);

-- The summary document, as `summarize` prints it.
CREATE TABLE summaries (
    profile_id bigint PRIMARY KEY REFERENCES profiles,
    document   text COMPRESSION lz4 NOT NULL
);

CREATE TABLE profile_files (
    profile_id bigint NOT NULL REFERENCES profiles,
    ordinal    integer NOT NULL,
    path       text NOT NULL,
    host       text,
    sha256     bytea CHECK (octet_length(sha256) = 32),
    size_bytes bigint NOT NULL,
    PRIMARY KEY (profile_id, ordinal)
);

CREATE TABLE profile_hosts (
    profile_id bigint NOT NULL REFERENCES profiles,
    ordinal    integer NOT NULL,
    name       text NOT NULL,
    PRIMARY KEY (profile_id, ordinal)
);

-- Provenance: how the profile came to be, and where each fact was read.
CREATE TABLE profile_facts (
    profile_id bigint NOT NULL REFERENCES profiles,
    name       text NOT NULL,
    value      text,
    source     text,
    PRIMARY KEY (profile_id, name)
);

CREATE TABLE profile_programs (
    profile_id  bigint NOT NULL REFERENCES profiles,
    ordinal     integer NOT NULL,
    name        text,
    fingerprint text,
    run_count   bigint NOT NULL,
    PRIMARY KEY (profile_id, ordinal)
);

CREATE TABLE profile_devices (
    profile_id            bigint NOT NULL REFERENCES profiles,
    ordinal               integer NOT NULL,
    name                  text NOT NULL,
    host                  text,
    window_ps             bigint NOT NULL,
    busy_ps               bigint NOT NULL,
    idle_ps               bigint NOT NULL,
    compute_ps            bigint NOT NULL,
    exposed_comm_ps       bigint NOT NULL,
    overlapped_comm_ps    bigint NOT NULL,
    exposed_copy_ps       bigint NOT NULL,
    steady_step_median_ps bigint,
    op_count              bigint NOT NULL,
    PRIMARY KEY (profile_id, ordinal)
);

-- device columns below are ordinals of profile_devices; NULL is a span of the host.
CREATE TABLE profile_steps (
    profile_id     bigint NOT NULL,
    number         bigint NOT NULL,
    warmup         boolean NOT NULL,
    max_ps         bigint NOT NULL,
    mean_ps        bigint NOT NULL,
    slowest_device integer,
    period_ps      bigint,
    gap_before_ps  bigint
);
CREATE INDEX profile_steps_of_profile ON profile_steps
    USING brin (profile_id) WITH (pages_per_range = 16, autosummarize = on);

CREATE TABLE step_spans (
    profile_id  bigint NOT NULL,
    number      bigint NOT NULL,
    device      integer,
    start_ps    bigint NOT NULL,
    duration_ps bigint NOT NULL
);
CREATE INDEX step_spans_of_profile ON step_spans
    USING brin (profile_id) WITH (pages_per_range = 16, autosummarize = on);

-- The dictionary of ops. id is the first 16 bytes of SHA-256(signature): an appender computes it
-- and never has to ask.
CREATE TABLE op_signatures (
    id              uuid PRIMARY KEY,
    signature       text COMPRESSION lz4 NOT NULL,
    example_name    text,
    category        text,
    opcode          text,
    shape_signature text,
    op_path         text
);

CREATE TABLE op_rows (
    profile_id         bigint NOT NULL,
    ordinal            integer NOT NULL,
    signature_id       uuid NOT NULL,
    max_device         integer,
    asynchronous       boolean NOT NULL,
    program            text,
    phase              text,
    count              bigint NOT NULL,
    device_count       bigint NOT NULL,
    total_ps           bigint NOT NULL,
    self_ps            bigint NOT NULL,
    max_device_self_ps bigint NOT NULL,
    steady_count       bigint NOT NULL,
    steady_self_ps     bigint NOT NULL,
    flops              double precision,
    bytes_accessed     double precision
);
CREATE INDEX op_rows_of_profile ON op_rows
    USING brin (profile_id) WITH (pages_per_range = 16, autosummarize = on);

-- A judgement, with the profiles it rests on and its document as it was printed.
CREATE TABLE verdicts (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id      bigint NOT NULL REFERENCES projects,
    workload        text NOT NULL CHECK (length(workload) BETWEEN 1 AND 200),
    series_id       bigint,
    status          text NOT NULL
                    CHECK (status IN ('pass', 'warn', 'fail', 'inconclusive', 'incomparable')),
    rule_id         text,
    rule_version    bigint,
    policy_sha256   bytea CHECK (octet_length(policy_sha256) = 32),
    evidence_sha256 bytea CHECK (octet_length(evidence_sha256) = 32),
    document        text COMPRESSION lz4 NOT NULL,
    recorded_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_by     text NOT NULL DEFAULT session_user,
    FOREIGN KEY (series_id, project_id) REFERENCES series (id, project_id)
);
CREATE INDEX verdicts_of_workload ON verdicts (project_id, workload, id);

CREATE TABLE verdict_inputs (
    verdict_id bigint NOT NULL REFERENCES verdicts,
    side       text NOT NULL CHECK (side IN ('baseline', 'candidate')),
    ordinal    integer NOT NULL,
    profile_id bigint NOT NULL REFERENCES profiles,
    PRIMARY KEY (verdict_id, side, ordinal)
);
CREATE INDEX verdict_inputs_of_profile ON verdict_inputs (profile_id);
