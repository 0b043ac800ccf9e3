-- 0040: what alerting remembers beside its messages: how each destination knows an alert (its
-- thread), what a message changes about it, silences, and the pace of destinations.
--
-- Work state, may change; what was sent is in `deliveries`. The phases are those of
-- schema/alert_phase.c, the states those of history/outbox_state.c.

ALTER TABLE outbox
    ADD COLUMN phase text NOT NULL DEFAULT 'none'
        CHECK (phase IN ('none', 'firing', 'repeated', 'resolved', 'reopened', 'started',
                         'aborted')),
    ADD COLUMN headline text,
    ADD COLUMN in_digest boolean NOT NULL DEFAULT false,
    ADD COLUMN dead_told boolean NOT NULL DEFAULT false;
UPDATE outbox SET dead_told = true;
CREATE INDEX outbox_dead ON outbox (id) WHERE state = 'dead' AND NOT dead_told;

-- How a destination knows one alert: what it was told last, how often the alert was opened, and
-- what it calls the message on top.
CREATE TABLE alert_threads (
    destination_id bigint NOT NULL REFERENCES destinations,
    order_key      text NOT NULL CHECK (length(order_key) BETWEEN 1 AND 500),
    phase          text NOT NULL DEFAULT 'none'
                   CHECK (phase IN ('none', 'firing', 'repeated', 'resolved', 'reopened', 'started',
                                    'aborted')),
    generation     integer NOT NULL DEFAULT 0 CHECK (generation >= 0),
    remote_ref     text,
    headline       text,
    changed_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (destination_id, order_key)
);

-- Nothing is told about these until then; a silence is never deleted, its end says enough.
CREATE TABLE silences (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project     text NOT NULL CHECK (length(project) BETWEEN 1 AND 200),
    workload    text CHECK (length(workload) BETWEEN 1 AND 200),
    branch      text CHECK (length(branch) BETWEEN 1 AND 500),
    until       timestamptz NOT NULL,
    reason      text NOT NULL CHECK (length(reason) BETWEEN 1 AND 2000),
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_by text NOT NULL DEFAULT session_user
);
CREATE INDEX silences_of_project ON silences (project, until);

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'stepledger') THEN
        GRANT SELECT, INSERT, UPDATE ON alert_threads TO stepledger;
        GRANT SELECT, INSERT ON silences TO stepledger;
    END IF;
END
$$;
