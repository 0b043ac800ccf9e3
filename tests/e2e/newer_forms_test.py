"""What newer profilers write: texts compressed with gzip, SparseCores beside TensorCores.

What: our members read compressed texts, those of the reference stay what the reference makes of
them (it knows no such member), and coverage says so; SparseCores are named, not mixed into devices.
Source: tests/support/README.md, "The XPlane format".
"""

import gzip
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path("tests/support").resolve()))
import xplane_writer as xw  # noqa: E402  (a folder of scripts, not a package)

BINARY = os.environ.get("STEPLEDGER_BIN", "build/stepledger")
PATH = "jit(step)/transpose(jvp(mlp))/dot_general"


def summary_of(space):
    with tempfile.TemporaryDirectory(prefix="stepledger-forms-") as folder:
        path = pathlib.Path(folder) / "a.xplane.pb"
        path.write_bytes(space.encode())
        run = subprocess.run([BINARY, "summarize", "--xplane-file", path], capture_output=True,
                             text=True, timeout=60, check=False)
    if run.returncode != 0:
        raise AssertionError(run.stderr)
    return json.loads(run.stdout)


def warnings_of(document, word):
    return [text for text in document["coverage"]["warnings"] if word in text]


def device(space, *stats):
    """A device with one op, whose metadata has the stats."""
    plane = space.add_plane("/device:TPU:0")
    plane.add_event_metadata("op", xw.EventMetadata("fusion.3", "", stats))
    line = plane.add_line("XLA Ops", 1, 1000)
    line.add_event("op", 0, 1_000_000)
    return plane, line


class AddedUp(unittest.TestCase):
    def test_ops_without_a_place_in_time_are_said_to_be_missing(self):
        for counts, told in (((12,), "1 event of ops tells only"), ((12, 5), "2 events of ops")):
            space = xw.Space()
            plane = space.add_plane("/device:TPU:0")
            line = plane.add_line("XLA Ops", 1, 1000)
            for count in counts:
                line.add_aggregate(f"fusion.{count}", count, 7_000_000)
            document = summary_of(space)
            self.assertEqual(len(warnings_of(document, told)), 1, document["coverage"])
            self.assertEqual(warnings_of(document, "has a line of ops"), [])
            self.assertEqual(warnings_of(document, "hold no ops"), [])
            self.assertEqual(document["coverage"]["events_dropped_counter"], len(counts))
        space = xw.Space()
        device(space)[0].add_line("_counters_", 2, 1000).add_aggregate("clock", 9, 0)
        self.assertEqual(warnings_of(summary_of(space), "num_occurrences"), [])


class CompressedTexts(unittest.TestCase):
    def test_our_members_read_them(self):
        space = xw.Space()
        plane, _ = device(space, xw.stat_compressed("tf_op", PATH),
                          xw.stat_compressed("hlo_category", "loop fusion"))
        plane.add_stat(xw.stat_compressed("device_type_string", "TPU v9"))
        document = summary_of(space)
        op = document["ops"][0]
        self.assertEqual((op["op_path"], op["phase"], op["category"]),
                         (PATH, "backward", "loop fusion"))
        self.assertEqual(document["environment"]["device_type"], "TPU v9")

    def test_the_reference_s_members_do_not_and_coverage_says_so(self):
        space = xw.Space()
        device(space, xw.stat_compressed("tf_op", PATH))
        document = summary_of(space)
        self.assertIsNone(document["hot_ops"][0]["tf_op_path"])
        self.assertEqual(len(warnings_of(document, "are compressed")), 1)

    def test_a_text_of_an_event_wins_over_the_compressed_one_of_its_metadata(self):
        space = xw.Space()
        _, line = device(space, xw.stat_compressed("tf_op", PATH))
        line.add_event("op", 2_000_000, 500_000, [xw.stat_text("tf_op", "jit(step)/other")])
        line.add_event("op", 3_000_000, 250_000, [xw.stat_uint("flops", 7)])
        paths = {op["op_path"]: op["count"] for op in summary_of(space)["ops"]}
        self.assertEqual(paths, {PATH: 2, "jit(step)/other": 1})

    def test_those_that_cannot_be_read_are_named(self):
        whole = gzip.compress(PATH.encode(), mtime=0)
        bomb = gzip.compress(bytes(30 << 20), mtime=0)
        liar = bomb[:-4] + struct.pack("<I", 100)
        for data in (whole[:-9], whole[:-4] + b"\xff\xff\xff\xff", b"text", bomb, liar):
            space = xw.Space()
            device(space, xw.Stat("tf_op", "compressed", data))
            document = summary_of(space)
            self.assertIsNone(document["ops"][0]["op_path"])
            self.assertEqual(len(warnings_of(document, "were not read")), 1, data[:20])

    def test_those_of_events_are_named(self):
        space = xw.Space()
        _, line = device(space)
        line.add_event("op", 2_000_000, 500_000, [xw.stat_compressed("tf_op", PATH)])
        self.assertEqual(len(warnings_of(summary_of(space), "were not read")), 1)

    def test_a_file_without_any_has_no_such_warning(self):
        space = xw.Space()
        device(space, xw.stat_text("tf_op", PATH))
        self.assertEqual(warnings_of(summary_of(space), "ompressed"), [])


class PlanesOfOneName(unittest.TestCase):
    def test_their_devices_are_kept_apart_and_told_apart(self):
        space = xw.Space()
        for i, name in enumerate(("/device:TPU:0", "/device:TPU:0#2", "/device:TPU:0")):
            plane = space.add_plane(name)
            plane.add_line("XLA Ops", 1, 1000).add_event("op", 0, 1_000_000 * (i + 1))
        document = summary_of(space)
        self.assertEqual([(row["name"], row["busy_us"]) for row in document["devices"]],
                         [("/device:TPU:0", 1.0), ("/device:TPU:0#2", 2.0),
                          ("/device:TPU:0#3", 3.0)])
        self.assertEqual(len(warnings_of(document, "named like another")), 1)


class SparseCores(unittest.TestCase):
    def test_they_are_named_and_not_mixed_into_devices(self):
        space = xw.Space()
        plane, _ = device(space)
        plane.add_line("Steps", 2, 1000).add_event("7", 0, 5_000_000)
        sparse = space.add_plane("/device:TPU:0 SparseCore 0")
        sparse.add_line("Sparse Core Ops", 1, 1000).add_event("gather", 0, 9_000_000)
        sparse.add_line("Sparse Core Steps", 2, 1000).add_event("7", 0, 9_000_000)
        document = summary_of(space)
        self.assertEqual([row["name"] for row in document["devices"]], ["/device:TPU:0"])
        self.assertEqual([row["max_us"] for row in document["steps"]["rows"]], [5.0])
        self.assertEqual(document["environment"]["device_count"], 1)
        self.assertEqual(len(warnings_of(document, "SparseCore 0' is a SparseCore: its ops (1)")),
                         1)
        self.assertEqual(warnings_of(document, "hold no ops"), [])

    def test_alone_they_are_no_host_threads(self):
        space = xw.Space()
        sparse = space.add_plane("/device:TPU:0 SparseCore 0")
        sparse.add_line("Sparse Core Ops", 1, 1000).add_event("gather", 0, 9_000_000)
        document = summary_of(space)
        self.assertEqual(len(warnings_of(document, "but those of 1 SparseCores")), 1)
        self.assertEqual(warnings_of(document, "host threads"), [])


if __name__ == "__main__":
    unittest.main()
