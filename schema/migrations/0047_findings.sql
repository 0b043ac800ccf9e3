-- 0047: what was noticed about profiles, and what verdicts compared, as rows.
--
-- Both stand in documents already; rows can be asked. They are part of the content of the entry
-- they belong to (history/entry_kinds.c), so that they cannot be changed unseen either. Profiles
-- and verdicts of before have none, and their hashes are what they were.

-- The words of severity are those of history/findings.c.
CREATE TABLE findings (
    profile_id bigint NOT NULL REFERENCES profiles,
    ordinal    integer NOT NULL,
    code       text NOT NULL CHECK (length(code) BETWEEN 1 AND 100),
    severity   text NOT NULL CHECK (severity IN ('info', 'warning', 'error')),
    message    text COMPRESSION lz4 NOT NULL,
    evidence   text COMPRESSION lz4,
    PRIMARY KEY (profile_id, ordinal)
);
COMMENT ON COLUMN findings.evidence IS 'JSON: what it was made from; NULL: its words are all';
CREATE INDEX findings_of_code ON findings (code, profile_id);

-- One row per measure that a verdict compared; the profiles are those of verdict_inputs. Row 0 is
-- the step time, on which the verdict rests: its status is the verdict's.
CREATE TABLE comparisons (
    verdict_id   bigint NOT NULL REFERENCES verdicts,
    ordinal      integer NOT NULL,
    measure      text NOT NULL CHECK (length(measure) BETWEEN 1 AND 100),
    unit         text,
    before_value double precision,
    after_value  double precision,
    delta        double precision,
    limit_value  double precision,
    status       text NOT NULL,
    method       text NOT NULL CHECK (length(method) BETWEEN 1 AND 200),
    estimate_pct double precision,
    ci_low_pct   double precision,
    ci_high_pct  double precision,
    p_value      double precision,
    run_sd_pct   double precision,
    mde_pct      double precision,
    PRIMARY KEY (verdict_id, ordinal)
);
COMMENT ON COLUMN comparisons.mde_pct IS 'the smallest change that could have been seen';
CREATE INDEX comparisons_of_measure ON comparisons (measure, verdict_id);

CALL ledger_protect('findings');
CALL ledger_protect('comparisons');
CALL ledger_grant('SELECT', ARRAY['findings', 'comparisons'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert', 'stepledger_read']);
CALL ledger_grant('INSERT', ARRAY['findings'], ARRAY['stepledger_ingest']);
CALL ledger_grant('INSERT', ARRAY['comparisons'], ARRAY['stepledger_compare']);
