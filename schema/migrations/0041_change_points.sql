-- 0041: where a measure of a series changed its level, as a detector or a person says.
--
-- Append-only: what is thought of a place in a series is the last row about it. A candidate that
-- holds is confirmed by a row of the same series, measure and profile; one that does not hold is
-- withdrawn the same way. The numbers of measures are those of schema/measures.h, the words
-- of status those of history/change_points.c.

CREATE TABLE change_points (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    series_id     bigint NOT NULL REFERENCES series,
    measure       integer NOT NULL CHECK (measure > 0),
    at_profile_id bigint NOT NULL REFERENCES profiles,
    status        text NOT NULL CHECK (status IN ('candidate', 'confirmed', 'withdrawn')),
    before_value  double precision NOT NULL,
    after_value   double precision NOT NULL,
    method        text NOT NULL CHECK (length(method) BETWEEN 1 AND 200),
    evidence      text COMPRESSION lz4,
    recorded_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_by   text NOT NULL DEFAULT session_user
);
COMMENT ON COLUMN change_points.at_profile_id IS 'the first profile of the new level';
CREATE INDEX change_points_of_series ON change_points (series_id, measure, at_profile_id, id);

CALL ledger_protect('change_points');
CALL ledger_grant('SELECT', ARRAY['change_points'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert', 'stepledger_read']);
CALL ledger_grant('INSERT', ARRAY['change_points'], ARRAY['stepledger_compare']);
