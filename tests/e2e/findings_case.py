"""What tests of findings share: a profile with something planted, and what is said of it."""

import json
import subprocess

from table_test import BINARY, TableCase

from gpu_job import Job
from json_schema import check_document


def busy(job, base, *, until=1000):
    """A step of a device that has nothing to wait for."""
    job.launch("fusion", base, base + 5, base + until)


def loads(job, base, number):
    job.launch("first", base, base + 5, base + 100)
    job.call("data_load", base + 105, base + 495)
    job.launch("fusion", base + 495, base + 500, base + 1000)


class FindingsCase(TableCase):
    def found(self, path):
        document = self.table("findings", path)
        for row in document["rows"]:
            self.assertTrue(row["evidence"] and row["remedy"], row)
        return {row["finding"]: row for row in document["rows"]}

    def planted(self, fill, period=1000, steps=8, devices=1):
        job = Job(devices=devices)
        for number in range(steps):
            job.annotate(number, period * number, period * number + 900)
            fill(job, period * number, number)
        return self.found(job.write(self.folder / f"{fill.__name__}.xplane.pb"))

    def explained(self, path):
        done = subprocess.run([BINARY, "explain", str(path)], capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        check_document(document, "explanation")
        return document

    def explained_text(self, path):
        return subprocess.run([BINARY, "explain", str(path), "--format", "text"],
                              capture_output=True, text=True, timeout=120, check=True).stdout
