"""The binary under test in an embedded ledger of its own: what the end-to-end tests share.

Each test class gets a folder below /tmp that the cluster's user can reach, and a cluster in it that
ends with the class.
"""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import make_profile  # noqa: E402
from kept_folder import kept_folder  # noqa: E402

BINARY = os.environ.get("STEPLEDGER_BIN", str(ROOT / "build" / "stepledger"))
MAKE_PROFILE = ROOT / "tests" / "support" / "make_profile.py"
SANITIZED = b"__asan_init" in pathlib.Path(BINARY).read_bytes()  # shadows and red zones
TIMEOUT_S = 120 * (3 if SANITIZED else 1)
LEDGERS = os.environ.get("TESTS_LEDGERS")  # a folder that tests/run keeps for all of its programs


def ledger_place(data, environment, ledgers):
    """Makes the folder of an embedded ledger. In a run of many tests an empty one lies in it, a
    copy of what the first of them made: that takes a tenth of the time."""
    data.mkdir()
    if os.geteuid() == 0:
        shutil.chown(data, "postgres", "postgres")
    if ledgers is None:
        return

    def make(kept):
        for action in ("start", "stop"):
            subprocess.run([BINARY, "db", action], timeout=TIMEOUT_S, check=True,
                           env={**environment, "XDG_DATA_HOME": str(kept)}, capture_output=True)
        (kept / "stepledger" / "pg" / "server.log").unlink()

    kept = kept_folder(ledgers, "data", make)
    subprocess.run(["cp", "-a", kept / "stepledger", data], check=True)


class Result:
    """What a command did."""

    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def document(self):
        return json.loads(self.out)


class LedgerCase(unittest.TestCase):
    """One embedded cluster per class."""

    ledgers = LEDGERS  # None: nothing lies in the folder before the first command makes it

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="stepledger-e2e-"))
        cls.folder.chmod(0o755)
        cls.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("STEPLEDGER_")},
            "STEPLEDGER_ORIGIN_FROM_CI": "no",  # where these tests run in CI themselves
            "XDG_DATA_HOME": str(cls.folder / "data"),
            "XDG_CONFIG_HOME": str(cls.folder / "config"),
            "XDG_STATE_HOME": str(cls.folder / "state"),
        }
        ledger_place(cls.folder / "data", cls.environment, cls.ledgers)

    @classmethod
    def tearDownClass(cls):
        subprocess.run([BINARY, "db", "stop"], env=cls.environment, timeout=TIMEOUT_S, check=False,
                       capture_output=True)
        shutil.rmtree(cls.folder, ignore_errors=True)

    @classmethod
    def profile(cls, name, *options):
        """Makes a small profile once, in a run of many tests for all of them; returns its folder.
        """
        options = ["--devices", "2", "--layers", "2", "--steps", "12", *map(str, options)]
        folder = cls.folder / "profiles" / name

        def make(place):
            with contextlib.redirect_stdout(io.StringIO()):
                make_profile.main(["--output", str(place / "made"), *options])

        if not folder.exists() and cls.ledgers is None:
            make(folder.parent)
            (folder.parent / "made").rename(folder)
        elif not folder.exists():
            known = hashlib.sha256("\0".join(options).encode()).hexdigest()
            kept = kept_folder(cls.ledgers, f"profile-{known}", make)
            shutil.copytree(kept / "made", folder, copy_function=shutil.copyfile)
        return str(folder)

    def start(self, *arguments, **more):
        """Starts the binary without waiting."""
        return subprocess.Popen([BINARY, *map(str, arguments)], env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    def call(self, *arguments, environment=None, **more):
        """Runs the binary to its end."""
        done = subprocess.run(
            [BINARY, *map(str, arguments)], env={**self.environment, **(environment or {})},
            timeout=TIMEOUT_S, check=False, text=True, stdin=subprocess.DEVNULL,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})
        return Result(done)

    def expect(self, code, *arguments, **more):
        """Runs the binary and insists on an exit code."""
        result = self.call(*arguments, **more)
        self.assertEqual(result.code, code, f"{arguments}\n{result.out}\n{result.err}")
        return result

    def run_killed(self, library, stage, *arguments, environment=None):
        """Runs the binary, killed at one of its stages; returns whether it came that far."""
        environment = {**self.environment, **(environment or {}), "LD_PRELOAD": str(library),
                       "KILL_AT": str(stage), "ASAN_OPTIONS": "verify_asan_link_order=0"}
        done = subprocess.run([BINARY, *map(str, arguments)], env=environment, check=False,
                              capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertIn(done.returncode, (0, -9), f"stage {stage}: {done.stderr}")
        return done.returncode == -9

    def stages(self, library, *arguments, environment=None):
        """Runs it to its end; returns a letter for each of its stages."""
        count = self.folder / "stages"
        count.unlink(missing_ok=True)
        self.expect(0, *arguments, environment={
            **(environment or {}), "LD_PRELOAD": str(library), "KILL_COUNT": str(count),
            "ASAN_OPTIONS": "verify_asan_link_order=0"})
        return count.read_text()

    def second(self, name):
        """An empty ledger in a cluster of its own; returns its environment."""
        data = self.folder / name
        data.mkdir()
        data.chmod(0o777)
        environment = {"XDG_DATA_HOME": str(data), "STEPLEDGER_DB": ""}
        self.addCleanup(self.call, "db", "stop", environment=environment)
        return environment

    def ingest_main(self, count):
        """So many small runs of the branch main, of seeds from 1."""
        self.ingest("--branch", "main",
                    *(self.profile(f"m{seed}", "--kind", "tpu", "--seed", str(seed))
                      for seed in range(1, count + 1)))

    def ingest(self, *arguments):
        """Ingests into project p, workload w; returns the rows of `profiles`."""
        scope = ["--project", "p", "--workload", "w"]
        return self.expect(0, "ingest", *scope, *arguments).document["profiles"]
