-- 0199: a lease is ended by who holds it, and a job by who stores its profile.
--
-- Who stores profiles could say of any job that it was done, with any profile, put files to the
-- jobs of others, and say who works; who judges could end the leases of other judges and forget
-- candidates. A lease names its login now: that one alone ends it, or, when it has run out,
-- whoever finds it. (Workers that share a login share its leases; they are told apart by `fence`.)

ALTER TABLE queue ADD COLUMN lease_login text;
ALTER TABLE judgements ADD COLUMN lease_login text;

-- A lease ends within an hour, a backoff within a day: what lies beyond was written while the
-- server's clock was ahead.
CREATE FUNCTION lease_is_over(lease_until timestamptz) RETURNS boolean STABLE LANGUAGE sql
SET search_path = pg_catalog, pg_temp AS $$
    SELECT $1 < now() OR $1 > now() + interval '25 hours';
$$;

-- The moves of a lease that are a worker's: it takes one, keeps or ends its own, takes back what
-- ran out, wakes what waits beyond all bounds.
CREATE FUNCTION lease_move_is_right(was_state text, was_login text, was_until timestamptz,
                                    new_state text, new_until timestamptz, fences bigint)
RETURNS boolean STABLE LANGUAGE sql
SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
        WHEN $1 = 'ready' AND $4 = 'running'
            THEN $6 = 1 AND $5 <= now() + interval '25 hours'
        WHEN $6 <> 0 THEN false
        WHEN $1 = 'running' AND $2 = session_user
            THEN $4 <> 'running' OR $5 <= now() + interval '25 hours'
        WHEN $1 = 'running' AND stepledger.lease_is_over($3) THEN $4 IN ('ready', 'aside')
        ELSE false END;
$$;

-- The profile that ends a job is stored in this transaction, or it is known and of the job's
-- workload.
CREATE FUNCTION queue_profile_is_right(job stepledger.queue) RETURNS boolean
STABLE LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM stepledger.profiles p
        JOIN stepledger.projects j ON j.id = p.project_id AND j.name = job.project
        WHERE p.id = job.profile_id
          AND (p.xmin = pg_current_xact_id()::xid
               OR job.duplicate AND job.workload IN (
                   SELECT s.workload FROM stepledger.series s WHERE s.id = p.series_id
                   UNION ALL
                   SELECT s.workload FROM stepledger.present_profiles n
                   JOIN stepledger.series s ON s.id = n.series_id WHERE n.id = p.id)));
$$;

CREATE FUNCTION queue_right_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.state = 'running' AND OLD.state <> 'running' THEN
        NEW.lease_login := session_user;
    END IF;
    IF stepledger.login_is_peoples(TG_RELID)
       OR (OLD.state = 'aside' AND NEW.state = 'ready')
       OR (OLD.state IN ('ready', 'aside') AND NEW.state = 'dropped')
       OR (OLD.state = 'ready' AND NEW.state = 'ready' AND NEW.fence = OLD.fence
           AND NEW.not_before <= OLD.not_before)
       OR (stepledger.lease_move_is_right(OLD.state, OLD.lease_login, OLD.lease_until, NEW.state,
                                          NEW.lease_until, NEW.fence - OLD.fence)
           AND (NEW.state <> 'done' OR stepledger.queue_profile_is_right(NEW))) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'role % may not make job % "%": it is "%", and its lease is not that of this '
        'login', session_user, OLD.id, NEW.state, OLD.state
        USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER queue_right BEFORE UPDATE ON queue FOR EACH ROW
    EXECUTE FUNCTION queue_right_check();

-- Files come with their job, and their bytes go when it has ended.
CREATE FUNCTION queue_files_right_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF stepledger.login_is_peoples(TG_RELID) THEN
        RETURN NULL;
    END IF;
    PERFORM FROM stepledger.queue q
    WHERE q.id = NEW.job_id
      AND CASE TG_OP WHEN 'INSERT' THEN q.xmin = pg_current_xact_id()::xid AND q.state = 'ready'
          ELSE q.state IN ('done', 'dropped') AND NEW.body IS NULL END;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'role % may not change the files of job %', session_user, NEW.job_id
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER queue_files_right AFTER INSERT OR UPDATE ON queue_files
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION queue_files_right_check();

-- As in 0196 for who asks; who judges moves leases besides.
CREATE OR REPLACE FUNCTION judgement_right_check() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before_state text := 'ready';
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.state = 'running' AND OLD.state <> 'running' THEN
        NEW.lease_login := session_user;
    END IF;
    IF stepledger.login_is_peoples(TG_RELID) THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF EXISTS (SELECT FROM pg_roles r WHERE r.rolname = 'stepledger_compare'
                     AND pg_has_role(session_user, r.oid, 'USAGE'))
           AND (NEW.verdict_id IS NOT DISTINCT FROM OLD.verdict_id
                OR EXISTS (SELECT FROM stepledger.verdicts v
                           WHERE v.id = NEW.verdict_id AND v.xmin = pg_current_xact_id()::xid))
           AND (stepledger.lease_move_is_right(OLD.state, OLD.lease_login, OLD.lease_until,
                                               NEW.state, NEW.lease_until, NEW.fence - OLD.fence)
                OR (OLD.state = 'ready' AND NEW.state = 'ready' AND NEW.asked = OLD.asked
                    AND NEW.not_before <= OLD.not_before AND NEW.asked_at <= OLD.asked_at)) THEN
            RETURN NEW;
        END IF;
        before_state := OLD.state;
        IF NEW.asked <> OLD.asked + 1
           OR (NEW.project, NEW.workload, NEW.candidate, NEW.fence)
              IS DISTINCT FROM (OLD.project, OLD.workload, OLD.candidate, OLD.fence)
           OR (NEW.worker, NEW.lease_until, NEW.verdict_id, NEW.failure_kind, NEW.failure)
              IS DISTINCT FROM
              (OLD.worker, OLD.lease_until, OLD.verdict_id, OLD.failure_kind, OLD.failure) THEN
            RAISE EXCEPTION 'role % may ask for judgements, not end or change those of others',
                session_user USING ERRCODE = 'insufficient_privilege';
        END IF;
    END IF;
    IF NEW.state <> (CASE before_state WHEN 'running' THEN 'running' ELSE 'ready' END)
       OR NEW.not_before > now() OR NEW.asked_at > clock_timestamp()
       OR NEW.attempt <> (CASE before_state WHEN 'running' THEN OLD.attempt ELSE 0 END) THEN
        RAISE EXCEPTION 'role % may ask for judgements, not end, begin or put them off',
            session_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END
$$;

-- A row is a login's: no worker says that another one lives, or has left.
DELETE FROM workers;
ALTER TABLE workers ADD COLUMN login text NOT NULL DEFAULT session_user;
ALTER TABLE workers DROP CONSTRAINT workers_pkey, ADD PRIMARY KEY (login, name);

CREATE FUNCTION worker_seen(name text, kind text, slots integer, busy integer) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO stepledger.workers AS w (login, name, kind, slots, busy)
    VALUES (session_user, $1, $2, $3, $4)
    ON CONFLICT (login, name) DO UPDATE
    SET kind = excluded.kind, slots = excluded.slots, busy = excluded.busy, seen_at = now();
$$;

-- Those not seen for an hour go with it, and those seen in the future.
CREATE FUNCTION worker_gone(name text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DELETE FROM stepledger.workers w
    WHERE (w.name = $1 AND w.login = session_user) OR w.seen_at < now() - interval '1 hour'
       OR w.seen_at > now() + interval '1 hour';
$$;
CALL ledger_grant_execute('worker_seen(text, text, integer, integer)',
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert']);
CALL ledger_grant_execute('worker_gone(text)',
    ARRAY['stepledger_ingest', 'stepledger_compare', 'stepledger_alert']);

CALL ledger_narrow('stepledger_ingest', 'workers', NULL);
CALL ledger_narrow('stepledger_compare', 'workers', NULL);
CALL ledger_narrow('stepledger_alert', 'workers', NULL);
CALL ledger_narrow('stepledger_ingest', 'queue',
    'INSERT (project, workload, branch, commit_sha, run, label, path, options, dedupe_key, '
    'max_attempts, judge), UPDATE (state, attempt, not_before, fence, worker, lease_until, '
    'failure_kind, failure, profile_id, duplicate, finished_at)');
CALL ledger_narrow('stepledger_ingest', 'queue_files',
    'INSERT (job_id, ordinal, path, body), UPDATE (body)');
CALL ledger_narrow('stepledger_ingest', 'judgements',
    'INSERT (project, workload, candidate, branch, commit_sha, asked_at), '
    'UPDATE (asked, asked_at, branch, commit_sha, not_before, attempt, state, finished_at)');
CALL ledger_narrow('stepledger_compare', 'judgements',
    'INSERT (project, workload, candidate, branch, commit_sha, asked_at), '
    'UPDATE (asked, asked_at, branch, commit_sha, not_before, attempt, state, finished_at, fence, '
    'worker, lease_until, failure_kind, failure, verdict_id)');
