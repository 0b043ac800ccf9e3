-- 0080: a worker shows that it lives, whichever role it has: 0020 let only those do so that ingest.

CALL ledger_grant('SELECT, INSERT, UPDATE, DELETE', ARRAY['workers'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert']);
