-- 0100: what is said of profiles now: corrections as appended entries, and the views that follow.
--
-- A profile is never changed. Who had its workload, branch, commit, run or label wrong appends an
-- amendment; who finds that it must not count appends a retraction; a better summary of the same
-- capture appends a profile of its own and an amendment that says so of the old one. Readers ask
-- `present_profiles` and `present_names`; verdicts keep what they were made from.
--
-- The same bytes may be profiles of several workloads, and several profiles of one workload of
-- which the last is the present one. The workload's lock keeps two from being it.

ALTER TABLE profiles DROP CONSTRAINT profiles_project_id_trace_sha256_key;
CREATE INDEX profiles_of_bytes ON profiles (trace_sha256, project_id);
CREATE INDEX profiles_of_run ON profiles (run, id);
CREATE INDEX profile_events_of_branch ON profile_events (branch COLLATE "C", profile_id)
    WHERE branch IS NOT NULL;
CREATE INDEX profile_events_of_commit ON profile_events (commit_sha COLLATE "C", profile_id)
    WHERE commit_sha IS NOT NULL;
CREATE INDEX profile_events_of_label ON profile_events (label COLLATE "C", profile_id)
    WHERE label IS NOT NULL;

-- Each row tells the whole state from here on, so that the last one of a profile is enough. A name
-- is NULL until it was amended. *_after: words of profile_events up to this one no longer count.
CREATE TABLE amendments (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    profile_id    bigint NOT NULL REFERENCES profiles,
    ordinal       integer NOT NULL CHECK (ordinal > 0),
    action        text NOT NULL CHECK (action IN ('amend', 'retract', 'restore', 'supersede')),
    reason        text NOT NULL CHECK (length(reason) BETWEEN 1 AND 2000),
    series_id     bigint NOT NULL REFERENCES series,
    run           text NOT NULL CHECK (length(run) BETWEEN 1 AND 200),
    branch        text CHECK (length(branch) BETWEEN 1 AND 500),
    branch_after  bigint NOT NULL,
    commit_sha    text CHECK (length(commit_sha) BETWEEN 1 AND 200),
    commit_after  bigint NOT NULL,
    label         text CHECK (length(label) BETWEEN 1 AND 200),
    label_after   bigint NOT NULL,
    retracted     boolean NOT NULL,
    superseded_by bigint REFERENCES profiles CHECK (superseded_by > profile_id),
    recorded_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_by   text NOT NULL DEFAULT session_user,
    UNIQUE (profile_id, ordinal)
);
COMMENT ON COLUMN amendments.superseded_by IS 'the profile that counts instead, for good';
CREATE INDEX amendments_of_series ON amendments (series_id, profile_id);
CREATE INDEX amendments_of_run ON amendments (run, profile_id);
CREATE INDEX amendments_of_branch ON amendments (branch COLLATE "C", profile_id)
    WHERE branch IS NOT NULL;
CREATE INDEX amendments_of_commit ON amendments (commit_sha COLLATE "C", profile_id)
    WHERE commit_sha IS NOT NULL;
CREATE INDEX amendments_of_label ON amendments (label COLLATE "C", profile_id)
    WHERE label IS NOT NULL;
CREATE INDEX amendments_over_branch ON amendments (profile_id, branch_after)
    WHERE branch_after > 0;
CREATE INDEX amendments_over_commit ON amendments (profile_id, commit_after)
    WHERE commit_after > 0;
CREATE INDEX amendments_over_label ON amendments (profile_id, label_after)
    WHERE label_after > 0;
CREATE INDEX amendments_of_successor ON amendments (superseded_by, profile_id)
    WHERE superseded_by IS NOT NULL;

CALL ledger_protect('amendments');
CALL ledger_chain('amendments', 'amendment');

-- When and by whom something was recorded that came here from another ledger.
CREATE TABLE origins (
    kind        text COLLATE "C" NOT NULL,
    subject_id  bigint NOT NULL,
    recorded_at timestamptz NOT NULL,
    recorded_by text,
    PRIMARY KEY (kind, subject_id)
);
CALL ledger_protect('origins');

-- The last word on each profile that was ever amended.
CREATE VIEW last_amendments AS
SELECT a.* FROM amendments a
WHERE NOT EXISTS (SELECT FROM amendments n
                  WHERE n.profile_id = a.profile_id AND n.ordinal = a.ordinal + 1);

-- Every profile as it stands now. Ask for several by `id = ANY (ARRAY(SELECT ...))`, or series_id,
-- and not by a join: only then is each half read by its index. recorded_series_id is that of its
-- chain and of its measures, for good; recorded_on is the day of its months' rows, recorded_at
-- when the first ledger took it in. branch, commit_sha and label are the first that count; all
-- of them are in present_names.
CREATE VIEW present_profiles AS
SELECT p.id, p.project_id, p.series_id, p.series_id AS recorded_series_id, p.run, p.trace_sha256,
       (SELECT e.branch FROM profile_events e
        WHERE e.profile_id = p.id AND e.branch IS NOT NULL ORDER BY e.id LIMIT 1) AS branch,
       (SELECT e.commit_sha FROM profile_events e
        WHERE e.profile_id = p.id AND e.commit_sha IS NOT NULL ORDER BY e.id LIMIT 1)
           AS commit_sha,
       (SELECT e.label FROM profile_events e
        WHERE e.profile_id = p.id AND e.label IS NOT NULL ORDER BY e.id LIMIT 1) AS label,
       coalesce(o.recorded_at, p.recorded_at) AS recorded_at, p.recorded_on,
       NULL::timestamptz AS retracted_at, NULL::bigint AS superseded_by, NULL::text AS reason
FROM profiles p
LEFT JOIN origins o ON o.kind = 'profile' AND o.subject_id = p.id
WHERE NOT EXISTS (SELECT FROM amendments a WHERE a.profile_id = p.id)
UNION ALL
SELECT p.id, p.project_id, a.series_id, p.series_id, a.run, p.trace_sha256,
       coalesce(a.branch,
                (SELECT e.branch FROM profile_events e
                 WHERE e.profile_id = p.id AND e.id > a.branch_after AND e.branch IS NOT NULL
                 ORDER BY e.id LIMIT 1)),
       coalesce(a.commit_sha,
                (SELECT e.commit_sha FROM profile_events e
                 WHERE e.profile_id = p.id AND e.id > a.commit_after AND e.commit_sha IS NOT NULL
                 ORDER BY e.id LIMIT 1)),
       coalesce(a.label,
                (SELECT e.label FROM profile_events e
                 WHERE e.profile_id = p.id AND e.id > a.label_after AND e.label IS NOT NULL
                 ORDER BY e.id LIMIT 1)),
       coalesce(o.recorded_at, p.recorded_at), p.recorded_on,
       CASE WHEN a.retracted THEN coalesce(ao.recorded_at, a.recorded_at) END,
       a.superseded_by, a.reason
FROM last_amendments a
JOIN profiles p ON p.id = a.profile_id
LEFT JOIN origins o ON o.kind = 'profile' AND o.subject_id = p.id
LEFT JOIN origins ao ON ao.kind = 'amendment' AND ao.subject_id = a.id;

-- Every branch, commit and label that counts for a profile. The same bytes may be on two branches.
-- since_event_id: which event said it; 0: an amendment did, and it holds from the beginning.
CREATE VIEW present_names AS
SELECT e.profile_id, 'branch' AS kind, e.branch COLLATE "C" AS name, e.id AS since_event_id
FROM profile_events e
WHERE e.branch IS NOT NULL
  AND NOT EXISTS (SELECT FROM amendments a
                  WHERE a.profile_id = e.profile_id AND a.branch_after > 0
                    AND a.branch_after >= e.id)
UNION ALL
SELECT e.profile_id, 'commit', e.commit_sha COLLATE "C", e.id
FROM profile_events e
WHERE e.commit_sha IS NOT NULL
  AND NOT EXISTS (SELECT FROM amendments a
                  WHERE a.profile_id = e.profile_id AND a.commit_after > 0
                    AND a.commit_after >= e.id)
UNION ALL
SELECT e.profile_id, 'label', e.label COLLATE "C", e.id
FROM profile_events e
WHERE e.label IS NOT NULL
  AND NOT EXISTS (SELECT FROM amendments a
                  WHERE a.profile_id = e.profile_id AND a.label_after > 0
                    AND a.label_after >= e.id)
UNION ALL
SELECT a.profile_id, 'branch', a.branch COLLATE "C", 0
FROM last_amendments a WHERE a.branch IS NOT NULL
UNION ALL
SELECT a.profile_id, 'commit', a.commit_sha COLLATE "C", 0
FROM last_amendments a WHERE a.commit_sha IS NOT NULL
UNION ALL
SELECT a.profile_id, 'label', a.label COLLATE "C", 0
FROM last_amendments a WHERE a.label IS NOT NULL;

CALL ledger_grant('SELECT', ARRAY['amendments', 'origins', 'last_amendments', 'present_profiles',
                                  'present_names'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert', 'stepledger_read']);
CALL ledger_grant('INSERT', ARRAY['amendments'], ARRAY['stepledger_ingest']);
CALL ledger_grant('INSERT', ARRAY['origins'],
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert']);
