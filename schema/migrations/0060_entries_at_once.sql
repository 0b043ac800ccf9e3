-- 0060: every row that stands for a subject has its entry in the transaction that writes it.
--
-- Deliveries, acceptances, re-baselines, moves of alerts and records of `track` got theirs from the
-- next checkpoint: until then rows could be changed or cut off unseen. Now no transaction can end
-- without the entry, whoever writes the row; an older program that does not know is refused.

CREATE FUNCTION ledger_entry_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM stepledger.entries e
                   WHERE e.kind = TG_ARGV[0] AND e.subject_id = NEW.id) THEN
        RAISE EXCEPTION 'a row of % has no entry on a chain', TG_TABLE_NAME
            USING ERRCODE = 'integrity_constraint_violation',
                  HINT = 'it was written by hand, or by a stepledger older than the database';
    END IF;
    RETURN NULL;
END
$$;

-- Waits for the transactions that write the table, so that what follows sees their rows.
CREATE PROCEDURE ledger_chain(target regclass, kind text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE CONSTRAINT TRIGGER ledger_entry AFTER INSERT ON %s '
                   'DEFERRABLE INITIALLY DEFERRED FOR EACH ROW '
                   'EXECUTE FUNCTION stepledger.ledger_entry_check(%L)', target, kind);
END
$$;

CALL ledger_chain('profiles', 'profile');
CALL ledger_chain('profile_events', 'event');
CALL ledger_chain('verdicts', 'verdict');
CALL ledger_chain('deliveries', 'delivery');
CALL ledger_chain('acceptances', 'acceptance');
CALL ledger_chain('rebaselines', 'rebaseline');
CALL ledger_chain('alert_events', 'alert');
CALL ledger_chain('track_records', 'track');
CALL ledger_chain('change_points', 'change_point');
CALL ledger_chain('archives', 'archive');
CALL ledger_chain('checkpoints', 'checkpoint');

-- What has none yet gets it from the back-fill that follows, as profiles did after 0005.
INSERT INTO chain_starts (kind, last_id)
SELECT 'delivery', coalesce(max(id), 0) FROM deliveries
UNION ALL SELECT 'acceptance', coalesce(max(id), 0) FROM acceptances
UNION ALL SELECT 'rebaseline', coalesce(max(id), 0) FROM rebaselines
UNION ALL SELECT 'alert', coalesce(max(id), 0) FROM alert_events
UNION ALL SELECT 'track', coalesce(max(id), 0) FROM track_records;

-- The chain of what happens because of a verdict, or because of none.
CREATE FUNCTION chain_of_verdict(id bigint) RETURNS text STABLE LANGUAGE sql
RETURN coalesce((SELECT coalesce('s' || v.series_id, 'j' || v.project_id)
                 FROM verdicts v WHERE v.id = chain_of_verdict.id), 'ledger');
