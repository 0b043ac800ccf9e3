"""A ledger with a few profiles and a backup of it: what the tests of `db backup` share."""

import json
import os
import pathlib
import time

from cli_case import LedgerCase

ORPHAN_WAIT_S = 30


class BackupCase(LedgerCase):
    """One embedded ledger per class; backups lie in `backups`."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.backups = cls.folder / "backups"
        cls.backups.mkdir(mode=0o755)
        cls.home = pathlib.Path(cls.environment["XDG_DATA_HOME"]) / "stepledger"

    def take(self, seed):
        """Ingests one small run of the branch main."""
        return self.ingest("--branch", "main",
                           self.profile(f"m{seed}", "--kind", "tpu", "--seed", str(seed)))

    def stored(self, environment=None):
        """How many profiles a ledger holds."""
        done = self.expect(0, "export", environment=environment)
        return json.loads(done.out.splitlines()[-1])["profiles"]

    def backup(self, name):
        """Takes a backup; returns its folder."""
        self.expect(0, "db", "backup", self.backups / name)
        return self.backups / name

    def processes_below(self, folder):
        """What runs with its working folder below `folder`, by its command line."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                place = os.readlink(entry / "cwd")
                if pathlib.Path(place).is_relative_to(folder):
                    found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue
        return found

    def assert_none_runs_below(self, folders):
        """Waits until nothing works in these folders, which may be gone."""
        deadline = time.monotonic() + ORPHAN_WAIT_S
        while found := [line for folder in folders for line in self.processes_below(folder)]:
            self.assertLess(time.monotonic(), deadline, f"still there: {found}")
            time.sleep(0.02)
