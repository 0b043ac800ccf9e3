"""The service under the failure of single calls: each of its workers, and the supervisor.

What: a ledger with a job, a candidate to judge, a message to send and all regular tasks due. One
process after the other meets one fault in the middle of its work. It goes on, or ends by itself
with a documented exit code and words that say what failed, as its supervisor would see it; when it
is told to stop, it does, with 0, or for want of memory at once. What it left undone the next one
does: each thing once. Where not all faults are met (`make torture`), a few are drawn, the same each
time.
"""

import dataclasses
import http.client
import signal
import subprocess
import time
import unittest

from cli_case import BINARY
from fault_case import CODES, FaultCase, fail_call
from fault_table import SERVICE, TOMORROW
from queue_case import WAIT_S, children_of, is_gone, postgres_server

LASTS_S = 3  # a process that meets no end of a fault is told to stop then
# What is there once, however often it was tried.
ONCE = ("profiles", "summaries", "profile_steps", "op_rows", "verdicts", "alerts", "reports",
        "destinations")
# What a process held that is gone is due again in a minute, or in a quarter of an hour; what failed
# as well.
LEASES_END = """
    UPDATE schedules SET last_run_at = last_run_at - interval '16 minutes', failure = NULL,
                         ended_at = CASE WHEN failure IS NULL
                                         THEN ended_at - interval '16 minutes' END
    WHERE coalesce(ended_at < last_run_at, true) OR failure IS NOT NULL;
    UPDATE outbox SET lease_until = now() - interval '1 second' WHERE state = 'sending';
    UPDATE queue SET lease_until = now() - interval '1 second' WHERE state = 'running';
    UPDATE judgements SET lease_until = now() - interval '1 second' WHERE state = 'running'"""


@dataclasses.dataclass
class Ending:
    """How a process of the service came to its end."""

    done: bool  # its work
    alone: bool  # it ended before it was told to
    code: object
    stderr: str
    left: list  # processes that it had started


class ServiceFaults(FaultCase):
    """Each of the rows runs until its work is done, then is told to stop."""

    drawn = 1

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls().expect(0, "work", "schedule", "--once", environment={**cls.environment, **TOMORROW})
        cls.intact = None
        [cls.tasks] = cls.primary.sql(
            "SELECT count(*) FROM schedules WHERE name NOT LIKE 'report %'")

    @classmethod
    def seed_more(cls, case):
        case.expect(0, "queue", "judge", "--project", "p", "--workload", "w", "p7")
        cls.port = postgres_server.free_port()
        cls.environment.update({
            "STEPLEDGER_QUEUE_LEASE_MS": "300", "STEPLEDGER_QUEUE_BASE_MS": "20",
            "STEPLEDGER_QUEUE_CAP_MS": "50", "STEPLEDGER_JUDGE_SETTLE_MS": "0",
            "STEPLEDGER_JUDGE_LEASE_MS": "2000",
            "STEPLEDGER_DELIVERY_BASE_MS": "20", "STEPLEDGER_DELIVERY_CAP_MS": "50",
            "STEPLEDGER_METRICS_PORT": str(cls.port), "STEPLEDGER_WORKERS": "1"})

    def is_done(self, row, query=None):
        if row.done:
            return self.primary.sql((query or row.done).format(tasks=self.tasks)) == ["t"]
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
            connection.request("GET", "/metrics")
            return "stepledger_database_up 1" in connection.getresponse().read().decode()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def live(self, row, fault=None):
        """Starts the row's process, waits for its work or its end, tells it to stop."""
        type(self).intact, log = None, self.folder / "service.log"
        environment = fail_call.prepared({**self.environment, **row.environment},
                                         self.folder / "counts", fault)
        with open(log, "wb") as stream, subprocess.Popen(
                [BINARY, *row.arguments], env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=stream, cwd=self.work) as process:
            patience = LASTS_S if "+" in (fault or "") else WAIT_S
            deadline, done = time.monotonic() + patience, False
            while not done and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.02)
                done = self.is_done(row, row.begun if fault else row.done)
            alone, started = process.poll() is not None, children_of(process.pid)
            if not alone:
                process.send_signal(signal.SIGTERM)
            try:
                code = process.wait(WAIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                code = fail_call.HANGS
        return Ending(done, alone, code, log.read_text(errors="replace"), [
            pid for pid in started if not self.ends(pid)])

    @staticmethod
    def ends(pid):
        deadline = time.monotonic() + WAIT_S
        while not is_gone(pid) and time.monotonic() < deadline:
            time.sleep(0.02)
        return is_gone(pid)

    def under(self, row, fault):
        """For the counting of what there is to fail; (as subprocess.run, Counted)."""
        ending = self.live(row, fault)
        self.assertTrue(ending.done, f"{row.name}: {ending.stderr}")
        return subprocess.CompletedProcess(row.arguments, ending.code, "", ending.stderr), \
            fail_call.counted_in(self.folder / "counts")

    def torture(self, row):
        counted, met, wrong = self.learn(row), {}, []
        for fault, kind, what in self.faults_of(row, counted):
            self.begin(row)
            ending = self.live(row, fault)
            counted = fail_call.counted_in(self.folder / "counts")
            if counted.failed == 0:
                continue
            met[kind] = met.get(kind, 0) + 1
            found = [*self.ended_wrong(row, kind, what, ending, counted, "+" in fault),
                     *self.work_wrong(row, kind, ending.stderr)]
            wrong += [f"{fault}: {text}\n      exit {ending.code}: {ending.stderr[-700:]}"
                      f"\n      at {counted.stack(BINARY)}" for text in found]
        self.report(row, met, wrong)
        return wrong

    def ended_wrong(self, row, kind, what, ending, counted, lasts):
        done = subprocess.CompletedProcess(row.arguments, ending.code, "", ending.stderr)
        if ending.left:
            yield f"processes that it started live on: {ending.left}"
        if ending.code in (-signal.SIGKILL, fail_call.CRASHED_INSIDE) or \
                (ending.alone and ending.code != 0 and counted.in_libc()):
            return
        if not ending.alone:
            if not ending.done and not lasts:
                yield "it lives, and its work is not done"
            if not ending.done and not ending.stderr:
                yield "it waits in silence"
            at_once = kind == "memory" and self.ended_at_once(done)
            if ending.code != 0 and not at_once and \
                    "cannot write 'standard output'" not in ending.stderr:
                yield "told to stop, it does not end with 0"
        elif ending.code not in CODES - {0}:
            yield "it ends by itself, and not with the exit code of a failure"
        else:
            yield from self.message_wrong(row, kind, what, done, counted)

    def work_wrong(self, row, kind, said):
        """What the next one leaves undone, or does twice."""
        self.primary.sql(LEASES_END)
        if not self.is_done(row):
            ending = self.live(row)
            if not ending.done or ending.code != 0:
                yield f"the next one does not do it: {ending.code}: {ending.stderr[-500:]}"
        ledger = self.ledger()
        states = {name for name in self.after.keys() | ledger.keys() if " " in name}
        differs = {name: (self.after.get(name), ledger.get(name)) for name in {*ONCE, *states}
                   if self.after.get(name) != ledger.get(name)}
        if kind == "memory" and "jobs aside" in differs:
            return  # a job has a limit, and this one met it
        if "task_failed task=verify" in said:
            differs.pop("messages pending", None)  # a finding, which is told
        if differs:
            yield f"the ledger is not as it would be: {differs}"

    def test_a_file_that_cannot_be_read_now_is_read_again(self):
        """A disk that fails once says nothing of the profile: it is not set aside."""
        [row] = [row for row in SERVICE if row.name == "work ingest"]
        reads = self.learn(row).calls["read"]
        self.begin(row)
        ending = self.live(row, f"read:{reads // 2}:EIO")
        self.assertTrue(ending.done, ending.stderr)
        self.assertIn("Input/output error", ending.stderr)
        self.assertEqual(self.ledger(), self.after, ending.stderr)

    def test_a_secret_that_cannot_be_read_now_costs_no_message(self):
        [row] = [row for row in SERVICE if row.name == "work alert"]
        for number in range(1, self.learn(row).calls["read"] + 1):
            self.begin(row)
            ending = self.live(row, f"read:{number}:EIO")
            if "hook'" in ending.stderr:
                break
        self.assertIn("hook': Input/output error", ending.stderr)
        self.assertTrue(ending.done, ending.stderr)
        self.assertIn("messages done", self.after)
        self.assertEqual(list(self.work_wrong(row, "read", ending.stderr)), [])

    def test_each_fault_leaves_work_that_the_next_one_does(self):
        self.torture_all(SERVICE)


if __name__ == "__main__":
    unittest.main()
