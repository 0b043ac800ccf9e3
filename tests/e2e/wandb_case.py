"""What the end-to-end tests of W&B share: the strict double, a configuration that permits it, a
profile that it holds, and the search for the planted key.

Every test ends with the same two questions: did the double have to reject anything that was not
expected, and is the key anywhere in what was printed or kept.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support" / "doubles"))

from launch import Launch  # noqa: E402

BINARY = os.environ.get("STEPLEDGER_BIN", str(ROOT / "build" / "stepledger"))
MAKE_PROFILE = ROOT / "tests" / "support" / "make_profile.py"
KEY = "planted0key0000000000000000000000000000000f"
TIMEOUT_S = 120
CONFIGURATION = """[wandb]
allow_addresses = 127.0.0.0/8
allow_http = yes
base_ms = 20
cap_ms = 50
attempts = 4
stall_s = 20
timeout_ms = 20000
"""


class WandbCase(unittest.TestCase):
    """One folder and two profiles per class, one double per test."""

    options = ()  # of the double

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="stepledger-wandb-"))
        cls.profiles = {}
        for name, more in (("fast", ["--seed", "1"]),
                           ("slow", ["--seed", "2", "--slow-op", "attention=4"])):
            folder = cls.shared / name
            subprocess.run([sys.executable, str(MAKE_PROFILE), "--output", str(folder),
                            "--devices", "2", "--layers", "2", "--steps", "12", *more],
                           check=True, timeout=TIMEOUT_S, stdout=subprocess.DEVNULL)
            for truth in folder.rglob("*.truth.json"):
                truth.unlink()
            cls.profiles[name] = folder

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared, ignore_errors=True)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stepledger-wandb-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.wandb = self.enterContext(Launch("wandb_server.py", "--api-key", KEY, *self.options))
        self.config = self.folder / "configuration"
        self.config.write_text(CONFIGURATION)
        self.home = self.folder / "home"
        self.home.mkdir()
        self.said = ""
        self.expected_rejections = []

    def enterContext(self, manager):  # unittest has it from Python 3.11 on
        entered = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return entered

    def environment(self, **more):
        kept = {k: v for k, v in os.environ.items()
                if not k.startswith(("STEPLEDGER_", "WANDB_", "XDG_", "AWS_", "GOOGLE_"))}
        kept.update({"HOME": str(self.home), "XDG_CACHE_HOME": str(self.folder / "cache"),
                     "WANDB_BASE_URL": self.wandb.url(), "WANDB_API_KEY": KEY})
        kept.update(more)
        return {name: value for name, value in kept.items() if value is not None}

    def call(self, *arguments, **environment):
        """Runs the binary; exit code, stdout and stderr."""
        done = subprocess.run(
            [BINARY, *map(str, arguments), "--config", str(self.config)], cwd=self.folder,
            env=self.environment(**environment), timeout=TIMEOUT_S, check=False,
            capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.said += done.stdout + done.stderr
        return done.returncode, done.stdout, done.stderr

    def expect(self, code, *arguments, **environment):
        """Runs the binary, insists on an exit code, returns the document or what stderr says."""
        got, out, err = self.call(*arguments, **environment)
        self.assertEqual(got, code, f"{arguments}\n{out}\n{err}")
        return json.loads(out) if code == 0 else err

    def tearDown(self):
        self.assertEqual([], [why for why in self.wandb.rejections()
                              if not any(part in why for part in self.expected_rejections)])
        self.assertNotIn(KEY[8:], self.said)
        self.assertNotIn("X-Amz-Signature", self.said)
        for path in self.folder.rglob("*"):
            if path.is_file() and path.name not in (".netrc", "key"):
                self.assertNotIn(KEY.encode(), path.read_bytes(), str(path))

    # ---- what the double holds ----

    def seed_run(self, name, profile=None, **more):
        """A run of acme/p; with a profile, the artifact that it logged."""
        run = {"entity": "acme", "project": "p", "name": name, "state": "finished", **more}
        artifacts = []
        if profile:
            artifacts.append({"entity": "acme", "project": "p", "name": "profiler",
                              "type": "jax_profile", "run": name,
                              "folder": str(self.profiles[profile])})
        return self.wandb.control("seed", runs=[run], artifacts=artifacts)["artifacts"]

    def requests(self, **wanted):
        """Entries of the double's log with these members."""
        return [entry for entry in self.wandb.log()
                if all(entry.get(name) == value for name, value in wanted.items())]

    def operations(self):
        return [entry["operation"] for entry in self.wandb.log() if "operation" in entry]
