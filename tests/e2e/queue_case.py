"""What the tests of queue, workers and service share: workers as processes, waiting for a state,
and a lock that keeps a job in the middle of storing."""

import os
import pathlib
import signal
import subprocess
import sys
import time

from cli_case import BINARY, ROOT, LedgerCase

sys.path.insert(0, str(ROOT / "tests" / "support"))

# pylint: disable=wrong-import-position
import postgres_server  # noqa: E402

SCOPE = ["--project", "p", "--workload", "w"]
WAIT_S = 60
QUICK = {"STEPLEDGER_QUEUE_BASE_MS": "50", "STEPLEDGER_QUEUE_CAP_MS": "200",
         "STEPLEDGER_QUEUE_LEASE_MS": "1500"}


def children_of(pid):
    """The processes that a process has started and that live."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text("ascii", "replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(stat.parts[2]))
    return found


def is_gone(pid):
    """Whether a process has ended, waited for or not."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


class QueueCase(LedgerCase):
    """A ledger, and workers on it; every process that a test starts ends with it."""

    def setUp(self):
        self.processes = []

    def tearDown(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
            if process.stderr:
                process.stderr.close()

    def spawn(self, *arguments, **settings):
        """Starts the binary; its log goes to a file, process.log."""
        log = self.folder / f"process-{time.monotonic_ns()}.log"
        with open(log, "wb") as stream:
            process = subprocess.Popen(
                [BINARY, *map(str, arguments)], env={**self.environment, **QUICK, **settings},
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stream)
        process.log = log
        self.processes.append(process)
        return process

    def worker(self, *arguments, **settings):
        return self.spawn("work", "ingest", *arguments, **settings)

    def stop(self, process, seconds=12):
        """SIGTERM; insists on an orderly end."""
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(seconds), 0, process.log.read_text())

    def submit(self, *arguments, scope=tuple(SCOPE)):
        """Adds jobs; returns their numbers."""
        done = self.expect(0, "queue", "add", *scope, *arguments)
        return [row["job"] for row in done.document["jobs"]]

    def jobs(self, *arguments):
        """number -> row"""
        rows = self.expect(0, "queue", "list", "--last", "100000", *arguments).document["jobs"]
        return {row["job"]: row for row in rows}

    def wait_for(self, what, condition, seconds=WAIT_S):
        """Polls until the condition holds; returns what it gave."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        logs = "\n".join(p.log.read_text()[-3000:] for p in self.processes)
        self.fail(f"{what} did not happen within {seconds} s\n{logs}")
        return None

    def wait_state(self, job, state, seconds=WAIT_S):
        return self.wait_for(f"job {job}: {state}", lambda: self.jobs()[job]["state"] == state and
                             self.jobs()[job], seconds)

    def url(self):
        """Of the class's ledger; it is asked once."""
        if "known_url" not in vars(type(self)):
            type(self).known_url = self.expect(0, "db", "url").out.strip()
        return self.known_url

    def query(self, text, url=None):
        """The first column of each row, as the application role; url is that of another ledger."""
        done = subprocess.run(
            [postgres_server.binaries() / "psql", "-X", "-q", "-A", "-t", "-d",
             url or self.url(), "-c", text], check=True, text=True, capture_output=True, timeout=60,
            env={**os.environ, "PGOPTIONS": "-c search_path=stepledger"})
        return done.stdout.split("\n")[:-1]

    def hold(self, workload="w", project="p"):
        """Takes the lock that an append of the workload waits for; close() lets go."""
        return Hold(self.url(), project, workload)


class Hold:
    """A session that holds a workload's lock, so that whoever stores waits in mid-transaction."""

    def __init__(self, conninfo, project, workload):
        self.psql = subprocess.Popen(
            [postgres_server.binaries() / "psql", "-X", "-q", "-A", "-t", "-d", conninfo],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, "PGOPTIONS": "-c search_path=stepledger"})
        self.psql.stdin.write(
            f"BEGIN; SELECT count(*) FROM projects, workload_lock(id, '{workload}') "
            f"WHERE name = '{project}';\n")
        self.psql.stdin.flush()
        if self.psql.stdout.readline().strip() != "1":
            raise RuntimeError("the workload's lock was not taken")

    def waits_for_it(self):
        """Whether some session waits for a lock, as who wants this one does."""
        self.psql.stdin.write("SELECT count(*) FROM pg_locks WHERE NOT granted;\n")
        self.psql.stdin.flush()
        return int(self.psql.stdout.readline()) > 0

    def close(self):
        self.psql.communicate("ROLLBACK;\n", timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def log_events(path, event):
    """The lines of a log with this event."""
    return [line for line in path.read_text().splitlines() if f"event={event} " in line + " "]
