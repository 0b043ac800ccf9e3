-- 0245: what a file of a job is to its capture.
--
-- A worker reads a capture as `ingest` does: the files of its hosts, the device memory profiles
-- that lie by them, and of a host whose file is broken the trace that was left aside. So a job
-- names them all, and says which is which; files of before are hosts.
ALTER TABLE queue_files
    ADD COLUMN part text NOT NULL DEFAULT 'host'
    CHECK (part IN ('host', 'memory', 'aside', 'unread'));
COMMENT ON COLUMN queue_files.part IS
    'host; memory: a device memory profile; aside: tells the same or less; unread: of no format '
    'that is read';

CALL ledger_narrow('stepledger_ingest', 'queue_files',
    'INSERT (job_id, ordinal, path, body, part), UPDATE (body)');
