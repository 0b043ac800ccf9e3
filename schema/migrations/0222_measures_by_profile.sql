-- 0222: the measures of a profile are found at once.
--
-- 0005 gave `measures` a summary of pages by profile, which is small, and of no use to who asks for
-- hundreds of profiles at a time, as each trend and each gate do: it is searched once for each, or
-- the whole table is read, so that a report over all workloads grew with the square of the ledger
-- (of 80,000 runs: 10 ms and more of each workload). Equal keys are stored once: about 130 bytes a
-- profile.
DROP INDEX measures_of_profile;
CREATE INDEX measures_of_profile ON measures (profile_id);
