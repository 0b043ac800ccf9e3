-- 0324: when profiles were captured, for many at once.
--
-- A function is started again for each profile: of 400 runs it took more than half of the time that
-- their trend took. So a view says it, which becomes a part of what asks, and the function for one
-- profile reads the view.
CREATE VIEW capture_times AS
SELECT p.id AS profile_id,
       coalesce((SELECT time_of_fact(f.value) FROM profile_facts f
                 WHERE f.profile_id = p.id AND f.name = 'captured_at'),
                (SELECT to_timestamp(min(h.begin_ns) / 1e9) FROM capture_hosts h
                 WHERE h.profile_id = p.id AND h.begin_ns >= 1000000000000000000
                   AND h.begin_ns <= (extract(epoch FROM p.recorded_at) + 86400) * 1000000000))
           AS captured_at
FROM profiles p;
COMMENT ON VIEW capture_times IS 'when a profile was captured, as people say or by its own clock';
COMMENT ON COLUMN capture_times.captured_at IS 'NULL: nobody says, and it does not tell';

CREATE OR REPLACE FUNCTION profile_captured_at(profile_id bigint) RETURNS timestamptz
    STABLE LANGUAGE sql
RETURN (SELECT t.captured_at FROM stepledger.capture_times t
        WHERE t.profile_id = profile_captured_at.profile_id);

CALL ledger_grant('SELECT', ARRAY['capture_times'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert', 'stepledger_read']);
