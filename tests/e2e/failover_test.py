"""A primary with a synchronous standby; the primary is killed while workers store, the standby is
promoted: the workers go on by themselves, and nothing that was acknowledged is missing."""

import os
import threading
import time
import unittest

from queue_case import SCOPE
from server_case import ServerCase

PROFILES = 60
KILL_AFTER = 12  # jobs done


class Failover(ServerCase):
    """Two servers; every command names both."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.standby = cls.server("standby")
        cls.standby.create_standby(cls.primary, "standby")
        cls.standby.start()
        cls.primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        cls.primary.sql("SELECT pg_reload_conf()")
        cls.environment["STEPLEDGER_DB"] = (
            f"host=127.0.0.1,127.0.0.1 port={cls.primary.port},{cls.standby.port} user=stepledger "
            "dbname=stepledger target_session_attrs=read-write connect_timeout=3")

    def profiles(self):
        """Small ones that differ in their times: the same steps once more are a copy."""
        return [self.profile(f"run-{number}", "--kind", "tpu", "--seed", str(601 + number),
                             "--devices", "1", "--layers", "1", "--steps", "6")
                for number in range(PROFILES)]

    def submit_all(self, paths):
        """Submits one after the other; what fails is submitted again, as any client would."""
        for path in paths:
            done = self.call("queue", "add", *SCOPE, path)
            while done.code != 0 and not self.over:
                time.sleep(0.2)
                done = self.call("queue", "add", *SCOPE, path)
            if done.code == 0:
                self.submitted += [row["job"] for row in done.document["jobs"]]

    def test_workers_go_on_and_nothing_acknowledged_is_missing(self):
        self.over, self.submitted = False, []
        self.wait_for("a synchronous standby", lambda: self.primary.sql(
            "SELECT sync_state FROM pg_stat_replication") == ["sync"])
        paths = self.profiles()
        workers = [self.worker("--jobs", "2") for _ in range(2)]
        submitter = threading.Thread(target=self.submit_all, args=(paths,))
        submitter.start()
        self.wait_for("some jobs to be done", lambda: int(self.primary.sql(
            "SELECT count(*) FROM queue WHERE state = 'done'")[0]) >= KILL_AFTER)
        acknowledged = set(self.primary.sql(
            "SELECT id || ':' || profile_id FROM queue WHERE state = 'done'"))
        self.primary.kill()
        self.standby.promote()
        submitter.join(100)
        self.over = True
        self.assertFalse(submitter.is_alive())
        self.wait_for("all jobs", lambda: self.standby.sql(
            "SELECT count(*) FROM queue WHERE state <> 'done'") == ["0"], 100)
        done = set(self.standby.sql("SELECT id || ':' || profile_id FROM queue"))
        self.assertEqual(acknowledged - done, set())
        jobs = {int(row.split(":")[0]) for row in done}
        self.assertEqual(set(self.submitted) - jobs, set())
        self.assertEqual(self.standby.sql(
            "SELECT count(*), count(DISTINCT trace_sha256) FROM profiles"),
            [f"{PROFILES}|{PROFILES}"])
        self.assertLess(len(acknowledged), PROFILES, "the primary was killed too late")
        for worker in workers:
            self.assertIsNone(worker.poll())
            self.stop(worker)
        print(f"# {len(acknowledged)} jobs were acknowledged before the primary was killed, "
              f"{len(done)} are done; {os.path.basename(str(self.folder))}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
