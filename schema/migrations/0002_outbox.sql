-- 0002: what leaves the house: the outbox (work state, may change) and deliveries (ledger,
-- append-only).
--
-- At-least-once: a row is enqueued in the transaction that records the verdict; a worker claims
-- it in a short transaction, sends, and records the end under the fence of its lease token.
-- Design: a transactional outbox with leases; strict order within (destination, order_key). The
-- states are those of history/outbox_state.c.

-- The gate of one receiver: a pause for rate limits, and the end of sending to one that is gone.
CREATE TABLE destinations (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name           text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
    not_before     timestamptz NOT NULL DEFAULT '-infinity',
    failing_since  timestamptz,
    disabled_why   text
);

CREATE TABLE outbox (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    destination_id bigint NOT NULL REFERENCES destinations,
    verdict_id     bigint REFERENCES verdicts,
    order_key      text NOT NULL CHECK (length(order_key) BETWEEN 1 AND 500),
    dedupe_key     text NOT NULL CHECK (length(dedupe_key) BETWEEN 1 AND 500),
    content_type   text NOT NULL,
    body           bytea COMPRESSION lz4 NOT NULL,
    state          text NOT NULL DEFAULT 'pending'
                   CHECK (state IN ('pending', 'sending', 'done', 'dead', 'superseded')),
    attempt        integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    max_attempts   integer NOT NULL DEFAULT 12 CHECK (max_attempts > 0),
    not_before     timestamptz NOT NULL DEFAULT now(),
    expires_at     timestamptz NOT NULL DEFAULT now() + interval '24 hours',
    lease_token    uuid,
    lease_until    timestamptz,
    last_error     text,
    created_at     timestamptz NOT NULL DEFAULT now(),
    finished_at    timestamptz,
    UNIQUE (destination_id, dedupe_key),
    CHECK ((state = 'sending') = (lease_token IS NOT NULL)),
    CHECK ((lease_token IS NULL) = (lease_until IS NULL)),
    CHECK ((state IN ('done', 'dead', 'superseded')) = (finished_at IS NOT NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX outbox_ready ON outbox (not_before, id) WHERE state = 'pending';
CREATE INDEX outbox_head ON outbox (destination_id, order_key, id)
    WHERE state IN ('pending', 'sending');
CREATE INDEX outbox_lease ON outbox (lease_until) WHERE state = 'sending';

-- One row per attempt that ended, however it ended.
CREATE TABLE deliveries (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    outbox_id   bigint NOT NULL,
    destination text NOT NULL,
    dedupe_key  text NOT NULL,
    verdict_id  bigint REFERENCES verdicts,
    attempt     integer NOT NULL,
    outcome     text NOT NULL CHECK (outcome IN ('done', 'retry', 'dead', 'lease_expired')),
    http_status integer,
    reason      text,
    remote_ref  text,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX deliveries_of_outbox ON deliveries (outbox_id, id);
CREATE INDEX deliveries_of_verdict ON deliveries (verdict_id) WHERE verdict_id IS NOT NULL;
