-- 0030: what the judge appends beside its verdicts: policies, the request that makes a verdict
-- again, acceptances, re-baselines, and the life of alerts.
--
-- Append-only like the ledger: the program inserts and selects. States of alerts are the last of
-- their events; the moves that exist are those of history/alert_state.c.

-- A policy by the hash of its canonical text, which verdicts name.
CREATE TABLE policies (
    sha256      bytea PRIMARY KEY CHECK (octet_length(sha256) = 32),
    document    text COMPRESSION lz4 NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_by text NOT NULL DEFAULT session_user
);

-- All that a verdict was made from and that its document does not hold: gate_request.v1.
CREATE TABLE verdict_requests (
    verdict_id bigint PRIMARY KEY REFERENCES verdicts,
    policy     bytea NOT NULL REFERENCES policies,
    document   text COMPRESSION lz4 NOT NULL
);

-- A person takes one change with its cost. change_key says which: its commit, else its runs.
CREATE TABLE acceptances (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    verdict_id  bigint NOT NULL REFERENCES verdicts,
    project_id  bigint NOT NULL REFERENCES projects,
    workload    text NOT NULL,
    change_key  text NOT NULL,
    reason      text NOT NULL CHECK (length(reason) BETWEEN 1 AND 2000),
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_by text NOT NULL DEFAULT session_user
);
CREATE INDEX acceptances_of_change ON acceptances (project_id, workload, change_key, id);

-- From here on only entries after after_profile_id are a baseline of the series.
CREATE TABLE rebaselines (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    series_id        bigint NOT NULL REFERENCES series,
    after_profile_id bigint NOT NULL,
    reason           text NOT NULL CHECK (length(reason) BETWEEN 1 AND 2000),
    recorded_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_by      text NOT NULL DEFAULT session_user
);
CREATE INDEX rebaselines_of_series ON rebaselines (series_id, id);

-- The life of an alert: (project, workload, branch of the candidate).
CREATE TABLE alert_events (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id  bigint NOT NULL REFERENCES projects,
    workload    text NOT NULL,
    branch      text NOT NULL,
    from_state  text,
    to_state    text NOT NULL,
    action      text NOT NULL,
    good_count  integer NOT NULL CHECK (good_count >= 0),
    verdict_id  bigint REFERENCES verdicts,
    reason      text CHECK (length(reason) BETWEEN 1 AND 2000),
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_by text NOT NULL DEFAULT session_user,
    CHECK (verdict_id IS NOT NULL OR reason IS NOT NULL),
    CONSTRAINT alert_events_move CHECK ((coalesce(from_state, 'none'), action, to_state) IN (
        ('none', 'regress', 'open'),
        ('open', 'regress', 'open'),
        ('acknowledged', 'regress', 'acknowledged'),
        ('silenced', 'regress', 'silenced'),
        ('resolved', 'regress', 'reopened'),
        ('dismissed', 'regress', 'dismissed'),
        ('reopened', 'regress', 'reopened'),
        ('open', 'recover', 'open'),
        ('acknowledged', 'recover', 'acknowledged'),
        ('silenced', 'recover', 'silenced'),
        ('dismissed', 'recover', 'dismissed'),
        ('reopened', 'recover', 'reopened'),
        ('open', 'resolve', 'resolved'),
        ('acknowledged', 'resolve', 'resolved'),
        ('silenced', 'resolve', 'resolved'),
        ('reopened', 'resolve', 'resolved'),
        ('dismissed', 'resolve', 'resolved'),
        ('open', 'acknowledge', 'acknowledged'),
        ('reopened', 'acknowledge', 'acknowledged'),
        ('open', 'silence', 'silenced'),
        ('acknowledged', 'silence', 'silenced'),
        ('reopened', 'silence', 'silenced'),
        ('open', 'dismiss', 'dismissed'),
        ('acknowledged', 'dismiss', 'dismissed'),
        ('silenced', 'dismiss', 'dismissed'),
        ('reopened', 'dismiss', 'dismissed'),
        ('acknowledged', 'reopen', 'reopened'),
        ('silenced', 'reopen', 'reopened'),
        ('dismissed', 'reopen', 'reopened'),
        ('resolved', 'reopen', 'reopened')))
);
CREATE INDEX alert_events_of_alert ON alert_events (project_id, workload, branch, id);

DO $$
DECLARE
    table_name text;
BEGIN
    FOREACH table_name IN ARRAY ARRAY[
        'policies', 'verdict_requests', 'acceptances', 'rebaselines', 'alert_events'] LOOP
        CALL ledger_protect(table_name::regclass);
    END LOOP;
END
$$;

CALL ledger_grant('SELECT', ARRAY[
    'policies', 'verdict_requests', 'acceptances', 'rebaselines', 'alert_events'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert', 'stepledger_read']);
CALL ledger_grant('INSERT', ARRAY[
    'policies', 'verdict_requests', 'acceptances', 'rebaselines', 'alert_events'],
    ARRAY['stepledger_compare']);
