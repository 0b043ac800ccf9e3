"""An export of Nsight Systems that lies beside the XPlane files of a job.

What: it is not read, and every command that reads the job says so, in its document and on stderr.
"""

import json
import sqlite3
import subprocess
import unittest

from table_test import BINARY

from findings_case import FindingsCase, busy
from gpu_job import Job


class ExportAside(FindingsCase):
    def test_an_export_beside_xplane_files_is_told_by_all(self):
        job = Job()
        for number in range(4):
            job.annotate(number, 1000 * number, 1000 * number + 900)
            busy(job, 1000 * number, until=900)
        session = self.folder / "job/plugins/profile/2024_01_01"
        session.mkdir(parents=True)
        job.write(session / "host0.xplane.pb")
        with sqlite3.connect(session / "host0.sqlite") as base:
            base.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER)")
        for command in ("summarize", "explain"):
            with self.subTest(command):
                done = subprocess.run([BINARY, command, str(self.folder / "job")],
                                      capture_output=True, text=True, timeout=120, check=True)
                document = json.loads(done.stdout)
                said = document.get("unseen") or document["coverage"]["warnings"]
                self.assertEqual([text for text in said if "'host0.sqlite' was left aside" in text
                                  and "no export of another profiler is read" in text][1:], [])
                self.assertIn("'host0.sqlite' was left aside", " ".join(said))
                self.assertIn("no export of another profiler is read", done.stderr)


if __name__ == "__main__":
    unittest.main()
