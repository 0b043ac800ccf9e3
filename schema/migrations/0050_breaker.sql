-- 0050: the breaker of a destination that refuses everything: it is disabled for a while, and then
-- one message tries whether it takes any. Work state.

ALTER TABLE destinations
    ADD COLUMN refused_count integer NOT NULL DEFAULT 0 CHECK (refused_count >= 0),
    ADD COLUMN disabled_until timestamptz,
    ADD COLUMN disabled_told boolean NOT NULL DEFAULT false,
    ADD CHECK ((disabled_why IS NULL) = (disabled_until IS NULL));
COMMENT ON COLUMN destinations.refused_count IS
    'refusals since the last success: of our credential or address, not of a message';
COMMENT ON COLUMN destinations.disabled_until IS 'then one message is tried';
