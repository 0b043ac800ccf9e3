-- 0045: one life of an alert. Its moves are those of history/alert_state.c, one alert per project,
-- workload, series (of the verdict that an event names) and branch; what a message changes is
-- derived from a move, so the phases of messages get the two that it can make.

ALTER TABLE alert_events DROP CONSTRAINT alert_events_move;
ALTER TABLE alert_events
    ADD CONSTRAINT alert_events_move CHECK ((coalesce(from_state, 'none'), action, to_state) IN (
        ('none', 'regress', 'open'),
        ('open', 'regress', 'open'),
        ('reopened', 'regress', 'reopened'),
        ('acknowledged', 'regress', 'acknowledged'),
        ('acknowledged', 'worsen', 'open'),
        ('silenced', 'regress', 'silenced'),
        ('dismissed', 'regress', 'dismissed'),
        ('resolved', 'regress', 'reopened'),
        ('resolved', 'recur', 'open'),
        ('open', 'recover', 'open'),
        ('reopened', 'recover', 'reopened'),
        ('acknowledged', 'recover', 'acknowledged'),
        ('silenced', 'recover', 'silenced'),
        ('dismissed', 'recover', 'dismissed'),
        ('open', 'resolve', 'resolved'),
        ('reopened', 'resolve', 'resolved'),
        ('acknowledged', 'resolve', 'resolved'),
        ('silenced', 'resolve', 'resolved'),
        ('dismissed', 'resolve', 'resolved'),
        ('open', 'acknowledge', 'acknowledged'),
        ('reopened', 'acknowledge', 'acknowledged'),
        ('open', 'silence', 'silenced'),
        ('reopened', 'silence', 'silenced'),
        ('acknowledged', 'silence', 'silenced'),
        ('silenced', 'silence', 'silenced'),
        ('open', 'dismiss', 'dismissed'),
        ('reopened', 'dismiss', 'dismissed'),
        ('acknowledged', 'dismiss', 'dismissed'),
        ('silenced', 'dismiss', 'dismissed'),
        ('open', 'accept', 'dismissed'),
        ('reopened', 'accept', 'dismissed'),
        ('acknowledged', 'accept', 'dismissed'),
        ('silenced', 'accept', 'dismissed'),
        ('acknowledged', 'reopen', 'reopened'),
        ('silenced', 'reopen', 'reopened'),
        ('dismissed', 'reopen', 'reopened'),
        ('resolved', 'reopen', 'reopened')));

-- The end of one alert's silence stands beside the silences of whole projects.
ALTER TABLE silences ADD COLUMN alert_event_id bigint UNIQUE REFERENCES alert_events;

ALTER TABLE outbox DROP CONSTRAINT outbox_phase_check;
ALTER TABLE outbox
    ADD CONSTRAINT outbox_phase_check
        CHECK (phase IN ('none', 'firing', 'repeated', 'worsened', 'flapping', 'resolved',
                         'reopened', 'started', 'aborted'));
ALTER TABLE alert_threads DROP CONSTRAINT alert_threads_phase_check;
ALTER TABLE alert_threads
    ADD CONSTRAINT alert_threads_phase_check
        CHECK (phase IN ('none', 'firing', 'repeated', 'worsened', 'flapping', 'resolved',
                         'reopened', 'started', 'aborted'));

-- What judging and delivering need beside what 0006 gave them.
CALL ledger_grant('SELECT, INSERT, UPDATE', ARRAY['alert_threads'],
    ARRAY['stepledger_compare', 'stepledger_alert']);
CALL ledger_grant('SELECT', ARRAY['alert_threads', 'silences'], ARRAY['stepledger_read']);
CALL ledger_grant('SELECT, INSERT', ARRAY['silences'],
    ARRAY['stepledger_compare', 'stepledger_alert']);
CALL ledger_grant('UPDATE (state, finished_at)', ARRAY['outbox'], ARRAY['stepledger_compare']);
CALL ledger_grant('INSERT', ARRAY['outbox'], ARRAY['stepledger_alert']);
