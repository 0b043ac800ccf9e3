-- 0141: the order of entries in the Merkle tree whose root checkpoints name.
--
-- Entries stand on many chains; a tree needs one order that only grows. Each checkpoint appends to
-- it what came since the one before, chain by chain, as ranges of positions: the leaves themselves
-- are the entries' hashes. The order is covered by the roots of checkpoints: `verify` makes the
-- last one again.
CREATE TABLE tree_ranges (
    first_leaf     bigint PRIMARY KEY CHECK (first_leaf >= 0),
    chain          text COLLATE "C" NOT NULL,
    first_position bigint NOT NULL CHECK (first_position > 0),
    last_position  bigint NOT NULL CHECK (last_position >= first_position)
);
CREATE UNIQUE INDEX tree_ranges_of_chain ON tree_ranges (chain, first_position);

CALL ledger_protect('tree_ranges');
CALL ledger_grant('SELECT', ARRAY['tree_ranges'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert', 'stepledger_read']);
CALL ledger_grant('INSERT', ARRAY['tree_ranges'], ARRAY['stepledger_ingest', 'stepledger_alert']);
