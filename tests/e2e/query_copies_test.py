"""What `stepledger query` says of copies between host and device.

What: the same copies as `explain` and `table copies` tell, by their way; of a summary that tells no
ways it does not say that there are none.
"""

import json
import subprocess
import unittest

from table_test import BINARY

import xplane_writer
from findings_case import FindingsCase, busy
from gpu_job import Job
from json_schema import check_document

STEPS = 8
QUESTION = "How long are host to device transfers?"


def to_and_from(job, base):
    busy(job, base, until=600)
    job.launch("MemcpyH2D", base + 8, base + 600, base + 750)
    job.launch("MemcpyD2H", base + 9, base + 750, base + 800)
    job.launch("MemcpyD2D", base + 10, base + 800, base + 810)


def by_memories(job, base):
    """One name of op both ways: what lies in memory space 5 is the host's."""
    here, there = "f32[8,128]{1,0:T(8,128)}", "f32[8,128]{1,0:T(8,128)S(5)}"
    busy(job, base, until=600)
    for name, result, source, start, end in (("copy-done.4", here, there, 600, 750),
                                             ("copy-done.5", there, here, 750, 800)):
        text = f"%{name} = {result} copy-done(({result}, {source}, u32[]{{:S(2)}}) %copy-start)"
        job.launch(name, base + 8, base + start, base + end,
                   more=[xplane_writer.stat_text("long_name", text)])


class QueryCopies(FindingsCase):
    def job(self, fill):
        job = Job()
        for number in range(STEPS):
            job.annotate(number, 1000 * number, 1000 * number + 900)
            fill(job, 1000 * number)
        return job.write(self.folder / f"{fill.__name__}.xplane.pb")

    def run_json(self, *words):
        done = subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True,
                              timeout=120, check=True)
        return json.loads(done.stdout)

    def summary(self, path):
        document = self.run_json("summarize", path)
        check_document(document, "summary")
        return document

    def asked(self, document):
        path = self.folder / "summary.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return self.run_json("query", path, QUESTION)

    def test_copies_are_those_of_the_step(self):
        for fill in (to_and_from, by_memories):
            with self.subTest(fill.__name__):
                path = self.job(fill)
                parts = {part["name"]: part["average_us"] for part in
                         self.explained(path)["parts"]}
                answer = self.asked(self.summary(path))
                told = {row["way"]: row for row in answer["results"]}
                self.assertEqual(set(told), {"host_to_device", "device_to_host"})
                for way, length in (("host_to_device", 150), ("device_to_host", 50)):
                    self.assertAlmostEqual(told[way]["self_us_per_step"], length)
                    self.assertAlmostEqual(parts[way], length)
                    self.assertEqual(told[way]["count"], STEPS)
                self.assertIn("from host to device 150.0 µs per steady step", answer["answer"])
                self.assertIsNone(told["host_to_device"]["bytes"])
                self.assertIn("table copies", answer["bytes_absent"])

    def test_an_older_summary_denies_no_copies(self):
        document = self.summary(self.job(by_memories))
        del document["copies"]
        answer = self.asked(document)
        self.assertEqual(answer["result"], "unknown_from_this_file")
        self.assertIn("does not tell which", answer["details"])
        named = self.summary(self.job(to_and_from))
        del named["copies"]
        self.assertEqual({row["way"]: row["count"] for row in self.asked(named)["results"]},
                         {"host_to_device": STEPS, "device_to_host": STEPS})

    def test_copies_on_devices_alone_are_said_to_be_those(self):
        def on_device(job, base):
            busy(job, base, until=600)
            job.launch("MemcpyD2D", base + 10, base + 800, base + 810)

        answer = self.asked(self.summary(self.job(on_device)))
        self.assertIn("on devices or between them alone", answer["details"])


if __name__ == "__main__":
    unittest.main()
