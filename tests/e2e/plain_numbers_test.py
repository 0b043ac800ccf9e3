"""Numbers that people and scripts give and read: options without blanks, shares that are not 0.

What: a number of an option with a blank is refused by every command; a share that is more than
nothing is never shown as 0.0 %.
"""

import subprocess
import unittest

from table_test import BINARY

from findings_case import FindingsCase, busy
from gpu_job import Job


class PlainNumbers(FindingsCase):
    def run_text(self, *words):
        return subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True,
                              timeout=120, check=False)

    def test_blanks_are_no_part_of_a_number(self):
        for command, option, value in (("list", "--limit", " 3"), ("list", "--limit", "3 "),
                                       ("summarize", "--hot-op-limit", "\t3"),
                                       ("query", "--top-k", " 3")):
            with self.subTest(command=command, value=value):
                done = self.run_text(command, option, value, "nothing")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("is not a whole number", done.stderr)

    def test_a_small_share_is_not_shown_as_nothing(self):
        job = Job()
        for base in range(0, 4000000, 1000000):
            job.annotate(base // 1000000, base, base + 900000)
            busy(job, base, until=900000)
            job.launch("MemcpyD2D", base + 8, base + 900000, base + 900002)
        path = job.write(self.folder / "small.xplane.pb")
        shown = self.run_text("table", "overview", path, "--format", "text").stdout
        row = next(line for line in shown.splitlines() if line.startswith("device_to_device"))
        self.assertIn("0.0002", row)


if __name__ == "__main__":
    unittest.main()
