"""Test cases with a folder of files of their own, and with made profiles of a GPU and a TPU.

What: the set-up that tests of commands on files share. What it does not do: a ledger
(tests/e2e/cli_case.py).
"""

import contextlib
import io
import pathlib
import tempfile
import unittest

import make_profile


class FolderCase(unittest.TestCase):
    """A folder per test."""

    maxDiff = 3000

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="stepledger-files-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def file(self, data, name):
        """Writes a file into the folder; returns its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path


class MadeCase(unittest.TestCase):
    """A folder per class with the profiles `gpu` and `tpu`, two devices and six steps each."""

    maxDiff = 3000

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        holder = tempfile.TemporaryDirectory(prefix="stepledger-made-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        for kind in ("gpu", "tpu"):
            with contextlib.redirect_stdout(io.StringIO()):
                make_profile.main(["--output", str(cls.folder / kind), "--kind", kind, "--devices",
                                   "2", "--layers", "2", "--steps", "6"])
