"""A database whose disk is full: commands say so and ask for another try; nothing is half there."""

import os
import shutil
import subprocess
import unittest

from cli_case import LedgerCase

SCOPE = ["--project", "p", "--workload", "w"]
DISK_MIB, PAGE = 128, 4096


class DiskFull(LedgerCase):
    """The ledger lies on a small disk of its own."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.disk = cls.folder / "data"
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "tmpfs", str(cls.disk)],
            check=False, capture_output=True, text=True)
        if mounted.returncode != 0:
            shutil.rmtree(cls.folder, ignore_errors=True)
            raise unittest.SkipTest(f"no right to mount a small disk: {mounted.stderr.strip()}")
        if os.geteuid() == 0:
            shutil.chown(cls.disk, "postgres", "postgres")

    @classmethod
    def tearDownClass(cls):
        try:
            subprocess.run(["umount", "--lazy", str(cls.disk)], check=True)
        finally:
            super().tearDownClass()

    def fill(self):
        """Writes until nothing more fits."""
        with open(self.disk / "filler", "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(PAGE))
            except OSError:
                pass

    def assert_full(self, *arguments, why="No space left on device"):
        result = self.expect(75, *arguments)
        self.assertIn(why, result.err)
        self.assertIn("make room on the database's disk", result.err)

    def test_says_so_when_a_session_cannot_begin(self):
        """A session writes what it read of the catalogue where nobody has written it yet."""
        self.expect(0, "list", "profiles")
        self.fill()
        for kept in self.disk.rglob("pg_internal.init"):
            kept.unlink()
        self.fill()
        self.assert_full("list", "profiles", why="could not write init file")
        (self.disk / "filler").unlink()
        self.expect(0, "list", "profiles")

    def test_asks_for_another_try_and_takes_it(self):
        paths = [self.profile(f"run-{run}", "--seed", str(run)) for run in range(4)]
        for run, path in enumerate(paths[:2]):
            self.ingest("--branch", "main", "--commit", f"{run + 1:040x}", path)
        self.expect(0, "list", "profiles")  # what a session writes for itself is there
        self.fill()
        ingest = ["ingest", *SCOPE, "--branch", "main", "--commit", "2" * 40, paths[2]]
        gate = ["gate", *SCOPE, "--branch", "topic", "--commit", "3" * 40, paths[3]]
        self.assert_full(*ingest)
        self.assert_full(*gate)
        (self.disk / "filler").unlink()
        self.assertEqual(self.expect(0, *ingest).document["profiles"][0]["status"], "stored")
        self.assertEqual(self.expect(0, *gate).document["candidate"]["run_count"], 1)
        self.expect(0, "verify")


if __name__ == "__main__":
    unittest.main()
