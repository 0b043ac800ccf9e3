-- Makes sure that the transaction that stores a result ends with its lease: a worker that is cut
-- off in it lets go of its locks.
-- Parameters: $1 lease_ms text
-- Result: timeout text
SELECT set_config('idle_in_transaction_session_timeout', $1, true);
