-- 0075: finished messages leave the outbox when they are old. What was sent, and what came of it,
-- stays in the ledger: `verdict_messages` by hash, `deliveries` by attempt.

CALL ledger_grant('DELETE', ARRAY['outbox'], ARRAY['stepledger_alert']);
