-- 0151: a mail that its server takes for some of its recipients and puts off for others is tried
-- again for those alone: who needs no further attempt, by hash. Work state.

ALTER TABLE outbox ADD COLUMN settled text;
