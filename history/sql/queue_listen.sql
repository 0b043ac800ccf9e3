-- From now on this session is given the hints.
-- Parameters: none
-- Result: none
LISTEN stepledger_queue;
