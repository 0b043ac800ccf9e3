#!/usr/bin/env python3
"""Names of megabytes: cut as they are read, counted, and never held.

What: profiles whose ops, paths, planes and lines have texts of megabytes are summarized within a
small budget; the longest name of the document and the memory of the process are measured. Why: such
a name was copied dozens of times (16 MB took 12 s, 683 MB and a document of 272 MB), and the budget
did not see it.
"""

import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import peak_memory  # noqa: E402
from xplane_writer import EventMetadata, Space, stat_text  # noqa: E402

BINARY = os.environ.get("STEPLEDGER_BIN", str(ROOT / "build" / "stepledger"))
NAME_BYTES, MEGABYTE, RESIDENT_KB = 4096, 1 << 20, 200_000
TIMEOUT_S = 60


def texts_of(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for item in value for text in texts_of(item)]
    return [value] if isinstance(value, str) else []


class LongNames(unittest.TestCase):
    """One profile each."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stepledger-long-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.space = Space(["host"])

    def plane(self, name="/device:TPU:0", line="XLA Ops"):
        plane = self.space.add_plane(name, 1)
        return plane, plane.add_line(line, 1)

    def summarize(self):
        path = self.folder / "p.xplane.pb"
        path.write_bytes(self.space.encode())
        document = self.folder / "s.json"
        run, resident_kb = peak_memory.run([BINARY, "summarize", "--xplane-file", path, "--output",
                                            document, "--max-memory-mb", "256"], TIMEOUT_S)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertLess(resident_kb, RESIDENT_KB)
        return json.loads(document.read_text())

    def check(self, count):
        document = self.summarize()
        self.assertLessEqual(max(len(text.encode()) for text in texts_of(document)),
                             3 * NAME_BYTES)  # a signature has path and shapes
        said = [text.partition(" cut: no more than")[0]
                for text in document["coverage"]["warnings"] if " cut: no more than" in text]
        self.assertEqual(said, ["1 name, path or text was" if count == 1 else
                                f"{count} names, paths or texts were"])
        return document

    def test_names_of_ops_are_cut_between_characters(self):
        plane, line = self.plane()
        for key, text in enumerate(("x" * 12 * MEGABYTE, "\u00e9" * MEGABYTE, "short")):
            plane.add_event_metadata(key, EventMetadata(name=text))
            line.add_event(key, key * 2_000_000, 1_000_000)
        names = {op["name"] for op in self.check(4)["hot_ops"]}  # as they are read, and as names
        self.assertEqual(names, {"x" * NAME_BYTES, "\u00e9" * (NAME_BYTES // 2), "short"})

    def test_names_of_planes_and_lines_and_paths_are_cut(self):
        plane, line = self.plane("/device:TPU:0 " + "y" * MEGABYTE, "XLA Ops " + "z" * MEGABYTE)
        path = "jit(f)/" + "a/" * MEGABYTE
        plane.add_event_metadata(1, EventMetadata(name="op", stats=(stat_text("tf_op", path),)))
        line.add_event(1, 0, 1_000_000)
        self.check(7)


if __name__ == "__main__":
    unittest.main(verbosity=2)
