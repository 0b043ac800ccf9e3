"""The progress bar: on a terminal only, and there for large files or when asked for.

What: `stepledger summarize` with a terminal on stderr. What it does not do: how far the bar is,
which tests/unit/ingest_progress_test.c checks.
"""

import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import unittest

BINARY = os.environ.get("STEPLEDGER_BIN", "build/stepledger")
SMALL = "tests/golden/made/nesting.xplane.pb"
BAR = re.compile(rb"\r\[#* *\] +\d+ %  [0-9.]+ of [0-9.]+ MB  (\S+)")


def terminal_of(*options):
    """What the program writes to a terminal on its stderr."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([BINARY, "summarize", *map(str, options)], stdout=subprocess.DEVNULL,
                          stderr=theirs) as child:
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # Linux says so when the other side is gone
                piece = b""
            if not piece:
                break
            shown += piece
    os.close(ours)
    return child.returncode, shown


class Progress(unittest.TestCase):
    def test_a_small_file_has_a_bar_when_asked_for(self):
        code, shown = terminal_of("--xplane-file", SMALL, "--progress")
        self.assertEqual(code, 0, shown)
        self.assertEqual(BAR.search(shown)[1], b"nesting.xplane.pb")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)

    def test_a_small_file_has_none_by_itself(self):
        self.assertEqual(terminal_of("--xplane-file", SMALL), (0, b""))

    def test_a_file_over_100_mb_has_one_by_itself(self):
        with tempfile.TemporaryDirectory(prefix="stepledger-bar-") as folder:
            large = pathlib.Path(folder) / "large.xplane.pb"
            subprocess.run([sys.executable, "tests/support/make_large.py", "--size-mb", "104",
                            "--output", large], check=True, stdout=subprocess.DEVNULL)
            code, shown = terminal_of("--xplane-file", large)
        self.assertEqual(code, 0, shown)
        self.assertGreater(len(BAR.findall(shown)), 1, shown)

    def test_what_is_no_terminal_gets_nothing(self):
        run = subprocess.run([BINARY, "summarize", "--xplane-file", SMALL, "--progress"],
                             capture_output=True, timeout=60, check=True)
        self.assertEqual(run.stderr, b"")


if __name__ == "__main__":
    unittest.main()
