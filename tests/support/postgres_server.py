"""A throw-away PostgreSQL server on 127.0.0.1 for tests that cut, kill and promote servers.

What: initdb, start, kill -9, a synchronous standby by pg_basebackup, promotion; the roles and the
database of the ledger. Why: the embedded cluster listens on a Unix socket only and is never
replicated. What it does not do: it keeps nothing durable (fsync is off) and trusts every local
user. Runs as the user postgres when the tests run as root.
"""

import os
import pathlib
import signal
import socket
import subprocess
import time

from kept_folder import kept_folder

VERSIONS = pathlib.Path("/usr/lib/postgresql")
START_TIMEOUT_S = 60
SETTINGS = {
    "fsync": "off", "jit": "off", "shared_buffers": "16MB", "max_wal_size": "256MB",
    "max_connections": "60", "wal_keep_size": "128MB", "unix_socket_directories": "",
    "listen_addresses": "127.0.0.1", "hot_standby": "on",
}


def binaries():
    """The folder of the newest installed server, None when there is none."""
    found = sorted(VERSIONS.glob("*/bin/postgres"), key=lambda p: int(p.parts[-3]))
    return found[-1].parent if found else None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One server; `folder` must be a place that the user postgres may write to."""

    def __init__(self, folder, name):
        self.folder = pathlib.Path(folder)
        self.data, self.log = self.folder / name, self.folder / f"{name}.log"
        self.port = free_port()
        self.process = None

    def _user(self):
        return {"user": "postgres", "group": "postgres", "extra_groups": []} \
            if os.geteuid() == 0 else {}

    def _run(self, program, *arguments, **more):
        return subprocess.run([binaries() / program, *map(str, arguments)], check=True, text=True,
                              cwd=self.folder, capture_output=True, timeout=120, **self._user(),
                              **more).stdout

    def create(self):
        """A new cluster, with the superuser `admin`."""
        self._run("initdb", "-D", self.data, "-U", "admin", "-A", "trust", "-E", "UTF8",
                  "--locale=C.UTF-8", "--no-sync")

    def create_standby(self, primary, name):
        """A copy of the primary that follows it under a name."""
        self._run("pg_basebackup", "-D", self.data, "-R", "-X", "stream", "-c", "fast",
                  "--no-sync", "-d", primary.conninfo("admin", "postgres") +
                  f" application_name={name}")

    def start(self, **settings):
        """Starts and waits until it answers."""
        options = [f"--{key.replace('_', '-')}={value}"
                   for key, value in {**SETTINGS, **settings, "port": self.port}.items()]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [binaries() / "postgres", "-D", self.data, *options], cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                **self._user())
        deadline = time.monotonic() + START_TIMEOUT_S
        while subprocess.run([binaries() / "pg_isready", "-q", "-h", "127.0.0.1", "-p",
                              str(self.port)], check=False).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server does not start: {self.log.read_text()[-2000:]}")
            time.sleep(0.05)

    def kill(self):
        """kill -9 of every process of the server, as when the machine goes."""
        if self.process is None:
            return
        os.killpg(self.process.pid, signal.SIGKILL)
        for path in list(pathlib.Path("/proc").glob("[0-9]*/cwd")):
            try:
                if os.readlink(path) == str(self.data):
                    os.kill(int(path.parts[2]), signal.SIGKILL)
            except OSError:
                continue
        self.process.wait()
        self.process = None

    def stop(self, how=signal.SIGQUIT):
        """Fast and without ceremony; nothing of it is kept, but after SIGINT."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(60)
            self.process = None

    def promote(self):
        self._run("pg_ctl", "promote", "-D", self.data, "-w", "-s")

    def conninfo(self, role="stepledger", database="stepledger"):
        return f"host=127.0.0.1 port={self.port} user={role} dbname={database}"

    def sql(self, text, database="stepledger"):
        """Runs statements as the superuser; returns the rows, columns joined by `|`."""
        done = subprocess.run(
            [binaries() / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d",
             self.conninfo("admin", database), "-c", text],
            check=False, text=True, capture_output=True, timeout=120,
            env={**os.environ, "PGOPTIONS": "-c search_path=stepledger"})
        if done.returncode != 0:
            raise RuntimeError(f"{text}: {done.stderr}")
        return done.stdout.split("\n")[:-1]

    def start_ledger(self, binary, environment, ledgers):
        """Creates and starts the server of a ledger. In a run of many tests (`ledgers` is a folder
        of it) the first one makes what the others copy, which takes a tenth of the time."""
        def make(kept):
            self._make_ledger(binary, environment)
            self.stop(signal.SIGINT)
            subprocess.run(["cp", "-a", self.data, kept / "data"], check=True)

        if ledgers is None:
            self._make_ledger(binary, environment)
            return
        kept = kept_folder(ledgers, "server", make)
        if not self.data.exists():
            subprocess.run(["cp", "-a", kept / "data", self.data], check=True)
        self.start()

    def _make_ledger(self, binary, environment):
        """A server with roles, database, schema."""
        self.create()
        self.start()
        roles = subprocess.run([binary, "help", "database"], check=True, capture_output=True,
                               text=True, timeout=60).stdout
        subprocess.run([binaries() / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d",
                        self.conninfo("admin", "postgres")],
                       input=roles, text=True, check=True, capture_output=True, timeout=120)
        subprocess.run([binary, "migrate", "--db", self.conninfo("stepledger_owner")], check=True,
                       env=environment, capture_output=True, timeout=120)

    def session(self):
        """A superuser's psql that reads statements from its stdin; for locks that a test holds."""
        return subprocess.Popen(
            [binaries() / "psql", "-X", "-q", "-A", "-t", "-d", self.conninfo("admin")],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, "PGOPTIONS": "-c search_path=stepledger"})
