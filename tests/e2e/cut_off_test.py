"""Two workers, each on a link of its own; one link is cut in the middle of a job."""

import os
import signal
import subprocess
import sys
import time
import unittest

from cli_case import ROOT
from queue_case import children_of, log_events
from server_case import ServerCase
from tcp_forwarder import Forwarder

LEASE_S = 1.5


class CutOff(ServerCase):
    """A link that is cut tells neither side: the lease and the fence have to do."""

    def setUp(self):
        super().setUp()
        self.links = [Forwarder(self.primary.port), Forwarder(self.primary.port)]

    def tearDown(self):
        super().tearDown()
        for link in self.links:
            link.close()

    def linked_worker(self, link):
        conninfo = f"host=127.0.0.1 port={link.port} user=stepledger dbname=stepledger"
        return self.worker(STEPLEDGER_DB=conninfo, STEPLEDGER_LOG_LEVEL="debug")

    def large(self, name, megabytes):
        """A profile that takes a moment to read."""
        path = self.folder / name
        subprocess.run([sys.executable, str(ROOT / "tests/support/make_large.py"), "--output",
                        str(path), "--size-mb", str(megabytes)], check=True, timeout=100,
                       stdout=subprocess.DEVNULL)
        return str(path)

    def claimed(self, worker):
        return self.wait_for("a job's process", lambda: children_of(worker.pid))[0]

    def facts(self, job):
        return self.primary.sql(f"SELECT state, fence, worker FROM queue WHERE id = {job}")[0]

    def test_its_late_result_is_refused(self):
        first = self.linked_worker(self.links[0])
        self.wait_for("the first worker", lambda: log_events(first.log, "worker_started"))
        job = self.submit(self.large("late.xplane.pb", 60))[0]
        child = self.claimed(first)
        os.kill(child, signal.SIGSTOP)  # before it stores
        self.links[0].cut()
        os.kill(child, signal.SIGCONT)
        second = self.linked_worker(self.links[1])
        self.wait_state(job, "done")
        self.assertTrue(self.facts(job).endswith(str(second.pid)))
        before = self.primary.sql("SELECT count(*) FROM profiles, profile_events")
        self.links[0].mend()
        self.wait_for("the refusal", lambda: log_events(first.log, "lease_lost"))
        self.assertEqual(log_events(first.log, "job_done"), [])
        self.assertEqual(self.primary.sql("SELECT count(*) FROM profiles, profile_events"), before)
        self.assertEqual(self.facts(job).split("|")[:2], ["done", "2"])
        self.stop(first)
        self.stop(second)

    def test_its_locks_end_with_its_lease(self):
        self.expect(0, "ingest", "--project", "p", "--workload", "w",
                    self.profile("c1", "--seed", "501"))
        first = self.linked_worker(self.links[0])
        hold = self.hold()
        job = self.submit(self.profile("c2", "--seed", "502"))[0]
        self.claimed(first)
        self.wait_for("a wait for the lock", lambda: self.primary.sql(
            "SELECT 1 FROM pg_locks WHERE NOT granted"))
        self.links[0].cut()
        hold.close()  # the cut-off worker's transaction has the lock now, and says no more
        began = time.monotonic()
        second = self.linked_worker(self.links[1])
        self.wait_state(job, "done")
        self.assertLess(time.monotonic() - began, 10 * LEASE_S)
        self.links[0].mend()
        self.wait_for("the refusal", lambda: log_events(first.log, "lease_lost"))
        self.assertEqual(self.primary.sql(f"SELECT count(*) FROM queue q JOIN profiles p ON "
                                          f"p.id = q.profile_id WHERE q.id = {job}"), ["1"])
        self.stop(first)
        self.stop(second)


if __name__ == "__main__":
    unittest.main(verbosity=2)
