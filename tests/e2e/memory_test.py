"""Device memory profiles: `table allocations`, `summarize`, alone and beside a profile.

What: totals of real ones ($STEPLEDGER_SHARED) and of made ones equal a plain count of the same
bytes; unknown sizes, absent labels, whose line an allocation is; files of one folder; what is
broken. What it does not do: the ledger and gates (memory_ledger_test.py), made-up bytes
(tests/fuzz).
"""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import pprof_writer  # noqa: E402
import xplane_writer  # noqa: E402
from folder_case import FolderCase  # noqa: E402
from json_schema import check_document  # noqa: E402
from pprof_writer import JAX, Allocation  # noqa: E402

BINARY = os.environ.get("STEPLEDGER_BIN", "build/stepledger")
SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", "../shared"))
REAL = SHARED / "profiles/memory"
MAKE_PROFILE = ROOT / "tests" / "support" / "make_profile.py"
MIB = 1 << 20

MADE = [
    Allocation(2, 300 * MIB, "TPU_0(process=0)", "buffer"),
    Allocation(1, 100 * MIB, "TPU_0(process=0)", "buffer",
               ((JAX + "array.py", "f", 3), ("/job/data.py", "load", 7), ("/job/m.py", "m", 9))),
    Allocation(4, 200 * MIB, "TPU_1(process=0)", "buffer"),
    Allocation(3, -1, "", "executable", ((JAX + "compiler.py", "compile", 5),)),
    Allocation(1, 5, "", "executable"),
    Allocation(1, 11, "TPU_1(process=0)", "", ()),
    Allocation(1, -8, "TPU_1(process=0)", ""),
]


def run(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False)


class MemoryCase(FolderCase):
    def file(self, data, name="memory.prof"):
        return super().file(data, name)

    def made(self, allocations, name="memory.prof"):
        return self.file(gzip.compress(pprof_writer.memory_profile(allocations), mtime=0), name)

    def document(self, kind, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        check_document(document, kind)
        return document

    def refused(self, code, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        return done.stderr

    def check_counts(self, path):
        """Table and summary equal a plain count of the file."""
        expected = pprof_writer.count(path.read_bytes())
        found = {}
        table = self.document("table", "table", "allocations", path)
        for row in table["rows"]:
            sums = found.setdefault((row["device"], row["kind"]), [0, 0, 0])
            for i, name in enumerate(("bytes", "count", "unknown_count")):
                sums[i] += row[name]
        self.assertEqual(found, expected)
        totals = [sum(sums[i] for sums in expected.values()) for i in range(3)]
        self.assertEqual([table["properties"][name]
                          for name in ("bytes", "count", "unknown_count")], totals)
        memory = self.document("summary", "summarize", path)["memory"]
        self.assertEqual([memory[name] for name in ("bytes", "count", "unknown_count")], totals)
        self.assertEqual(memory["allocations"], table["rows"])
        for name, place in (("devices", 0), ("kinds", 1)):
            shares = {}
            for key, sums in expected.items():
                share = shares.setdefault(key[place], [0, 0, 0])
                shares[key[place]] = [a + b for a, b in zip(share, sums)]
            self.assertEqual({share["name"]: [share["bytes"], share["count"],
                                              share["unknown_count"]]
                              for share in memory[name]}, shares)
        return table


@unittest.skipUnless(REAL.is_dir(), f"SKIPPED: no real memory profiles in {REAL}")
class RealFiles(MemoryCase):
    def test_totals_equal_a_plain_count_of_each(self):
        files = sorted(REAL.iterdir())
        self.assertGreaterEqual(len(files), 16)
        for path in files:
            with self.subTest(path.name):
                table = self.check_counts(path)
                self.assertTrue(any("site-packages" not in row["source"]
                                    for row in table["rows"]))


class MadeFiles(MemoryCase):
    def test_totals_equal_a_plain_count(self):
        self.check_counts(self.made(MADE))
        self.check_counts(self.file(pprof_writer.memory_profile(MADE)))
        twice = gzip.compress(pprof_writer.memory_profile(MADE[:3]))
        parts = twice + gzip.compress(b"")
        self.check_counts(self.file(parts, "members.prof"))

    def test_an_allocation_is_of_the_innermost_line_that_is_the_users(self):
        rows = {(row["device"], row["kind"], row["source"], row["function"]):
                (row["bytes"], row["count"], row["unknown_count"])
                for row in self.document("table", "table", "allocations", self.made(MADE))["rows"]}
        device = "TPU_1(process=0)"
        self.assertEqual(rows, {
            ("TPU_0(process=0)", "buffer", "/job/train.py:41", "step"): (300 * MIB, 2, 0),
            ("TPU_0(process=0)", "buffer", "/job/data.py:7", "load"): (100 * MIB, 1, 0),
            (device, "buffer", "/job/train.py:41", "step"): (200 * MIB, 4, 0),
            ("", "executable", JAX + "compiler.py:5", "compile"): (0, 3, 3),
            ("", "executable", "/job/train.py:41", "step"): (5, 1, 0),
            (device, "", "", ""): (11, 1, 0),
            (device, "", "/job/train.py:41", "step"): (0, 1, 1),
        })

    def test_it_is_read_beside_a_profile_and_said(self):
        subprocess.run([sys.executable, str(MAKE_PROFILE), "--output", str(self.folder), "--kind",
                        "tpu", "--devices", "2", "--layers", "2", "--steps", "6"], check=True,
                       timeout=120, stdout=subprocess.DEVNULL)
        alone = self.document("summary", "summarize", self.folder)
        self.assertNotIn("memory", alone)
        self.made(MADE)
        self.made(MADE[:2], "memory-before.prof")
        self.file(b"\x0a\x04\x08\x01\x10\x02 cut", "memory-broken.prof")
        self.file(b"import cProfile", "cpu.prof")
        beside = self.document("summary", "summarize", self.folder)
        [source] = beside["memory"]["sources"]
        self.assertEqual(pathlib.Path(source["path"]).name, "memory.prof")
        self.assertIn("Memory in use is that of 'memory.prof'.", beside["capture"]["notes"])
        warnings = "\n".join(beside["coverage"]["warnings"])
        for words in ("'memory-before.prof' tells of the same devices with less in use",
                      "memory-broken.prof", "4 of 13 allocations in memory have no known size"):
            self.assertIn(words, warnings)
        self.assertNotIn("cpu.prof", warnings)
        for member in ("steps", "ops", "devices", "step_time"):
            self.assertEqual(beside[member], alone[member])
        self.assertEqual(self.document("table", "table", "allocations",
                                       self.folder / "memory.prof")["rows"],
                         beside["memory"]["allocations"])
        named = self.made(MADE[:1], "elsewhere/named.prof")
        shutil.move(named, self.folder / "named.bin")
        told = self.document("summary", "summarize", self.folder, "--memory-profile",
                             self.folder / "named.bin")
        self.assertEqual(told["memory"]["bytes"], MADE[0].size)
        self.assertIn("cut off", self.refused(1, "summarize", self.folder, "--memory-profile",
                                              self.file(b"\x1f\x8b\x08", "cut.bin")))

    def test_memory_of_devices_of_another_kind_is_not_taken(self):
        subprocess.run([sys.executable, str(MAKE_PROFILE), "--output", str(self.folder), "--kind",
                        "gpu", "--devices", "1", "--layers", "1", "--steps", "4"], check=True,
                       timeout=120, stdout=subprocess.DEVNULL)
        for device, taken in (("TPU_0(process=0,(0,0,0,0))", False), ("cuda:0", True),
                              ("Quantum_0", True)):
            with self.subTest(device):
                self.made([Allocation(1, MIB, device, "buffer")])
                beside = self.document("summary", "summarize", self.folder)
                self.assertEqual("memory" in beside, taken)
                warnings = "\n".join(beside["coverage"]["warnings"])
                self.assertEqual(f"it tells of '{device}', and the profile of '/device:GPU:0'"
                                 in warnings, not taken, warnings)
                if taken:
                    self.document("table", "table", "allocations", self.folder)
                else:
                    self.assertIn("is of other devices",
                                  self.refused(65, "table", "allocations", self.folder))
                    for more in (("--strict-input",),
                                 ("--memory-profile", self.folder / "memory.prof")):
                        self.assertIn("is of other devices",
                                      self.refused(1, "summarize", self.folder, *more))

    def test_a_file_that_is_named_has_what_lies_by_it(self):
        """In its folder, or its job's; of several captures it is of the one that the folder's
        search gives it to."""
        profile = self.made(MADE).read_bytes()
        space = xplane_writer.Space()
        space.add_plane("/host:CPU").add_line("python", 1, 1000).add_event("work", 0, 1000)
        job = self.folder / "job"
        sessions = [job / "plugins/profile" / time for time in ("2026_01_01", "2026_01_02")]
        for folder, names in ((self.folder / "loose", ("a", "b")), (sessions[0], ("a",)),
                              (sessions[1], ("a", "b"))):
            folder.mkdir(parents=True)
            for name in names:
                (folder / f"{name}.xplane.pb").write_bytes(space.encode())
        (self.folder / "loose/zz.trace.json").write_text(
            '{"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 5, "name": "f"}]}')
        (self.folder / "loose/memory.prof").write_bytes(profile)
        (job / "memory.prof").write_bytes(profile)
        for path, has in (("loose/a.xplane.pb", True), ("loose/b.xplane.pb", False),
                          ("loose/zz.trace.json", False),
                          ("job/plugins/profile/2026_01_01/a.xplane.pb", False),
                          ("job/plugins/profile/2026_01_02/a.xplane.pb", True),
                          ("job/plugins/profile/2026_01_02/b.xplane.pb", False)):
            document = self.document("summary", "summarize", self.folder / path)
            self.assertEqual("memory" in document, has, path)
        rows = self.document("table", "table", "allocations", self.folder / "loose/a.xplane.pb")
        self.assertEqual(rows["rows"], self.document(
            "table", "table", "allocations", job / "memory.prof")["rows"])

    def test_processes_are_added_up(self):
        self.made([Allocation(1, MIB, "TPU_0(process=0)", "buffer")], "a.prof")
        self.made([Allocation(1, 3 * MIB, "TPU_4(process=1)", "buffer")], "b.prof")
        subprocess.run([sys.executable, str(MAKE_PROFILE), "--output", str(self.folder), "--kind",
                        "tpu", "--devices", "2", "--layers", "2", "--steps", "6"], check=True,
                       timeout=120, stdout=subprocess.DEVNULL)
        memory = self.document("summary", "summarize", self.folder)["memory"]
        self.assertEqual((memory["bytes"], len(memory["sources"])), (4 * MIB, 2))
        self.assertEqual([share["name"] for share in memory["devices"]],
                         ["TPU_4(process=1)", "TPU_0(process=0)"])

    def test_what_is_no_memory_profile_is_said(self):
        heap = pprof_writer.memory_profile([], (("inuse_objects", "count"),
                                                ("inuse_space", "bytes")))
        self.assertIn("not of device memory", self.refused(65, "table", "allocations",
                                                           self.file(heap)))
        whole = gzip.compress(pprof_writer.memory_profile(MADE), mtime=0)
        for data, words in ((whole[:len(whole) // 2], "cut off"),
                            (whole[:-8] + b"sum!" + whole[-4:],
                             "is not what its checksum is of"),
                            (whole + b"more", "goes on with bytes that are no gzip"),
                            (b"", "is empty"),
                            (pprof_writer.memory_profile(MADE)[:-3], "makes no sense as pprof")):
            self.assertIn(words, self.refused(65, "table", "allocations", self.file(data)))
        empty = self.file(pprof_writer.memory_profile([]))
        self.assertIn("tells of no allocation", self.refused(65, "table", "allocations", empty))
        made = self.made(MADE)
        for asked in (("explain",), ("table", "steps"), ("table", "op_profile"),
                      ("table", "memory"), ("table", "findings")):
            self.assertIn("is a device memory profile, which holds the table `allocations`",
                          self.refused(65, *asked, made))
        self.made(MADE, "several/a.prof")
        self.made(MADE, "several/b.prof")
        self.assertIn("2 captures", self.refused(1, "summarize", self.folder / "several"))
        sums = [Allocation(1, (1 << 63) - 1, "d", "buffer")] * 2
        self.assertIn("64 bits", self.refused(65, "table", "allocations", self.made(sums)))

    def test_memory_is_bounded(self):
        """Of a few kilobytes that become much, and of many rows."""
        bomb = self.file(gzip.compress(pprof_writer.memory_profile(MADE) + b"\x32\x00" * 50000000),
                         "bomb.prof")
        self.assertIn("max_memory_mb", self.refused(65, "table", "allocations", bomb,
                                                    "--max-memory-mb", "64"))


if __name__ == "__main__":
    unittest.main()
