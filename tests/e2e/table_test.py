"""Tables that lie in a profile: `stepledger table`.

What: kernels and copies of GPU captures equal what a direct reading of the same bytes adds up to,
and what xprof stored beside real captures ($STEPLEDGER_SHARED); what a source cannot give is
refused with the reason; forms and limits. What it does not do: allocations (memory_test.py).
"""

import collections
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import xplane_decoder  # noqa: E402
import xplane_writer  # noqa: E402
from folder_case import MadeCase  # noqa: E402
from json_schema import check_document  # noqa: E402

BINARY = os.environ.get("STEPLEDGER_BIN", "build/stepledger")
SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", "../shared"))
STORED = SHARED / "profiles/tool-output"

# What writers of several years say of a launch, and what it means: grid, block, registers, memory,
# occupancy.
DIALECTS = {
    "regs:16 shm:5 grid:40,1,1 block:1024,1,1": ("40,1,1", "1024,1,1", 16, 5, None),
    "regs:32 static_shared:7 dynamic_shared:8 grid:3,2,1 block:64,4,1 occ_pct:50":
        ("3,2,1", "64,4,1", 32, 15, 50),
    " grid:1280,1,1 block:256,1,1 private_mem:0 group_mem:2112 occ_pct:0":
        ("1280,1,1", "256,1,1", None, 2112, None),
}


def fold(sums, key, count, total, least, most):
    old = sums.get(key, (0, 0, least, most))
    sums[key] = (old[0] + count, old[1] + total, min(old[2], least), max(old[3], most))


class TableCase(MadeCase):
    def run_table(self, *arguments):
        return subprocess.run([BINARY, "table", *map(str, arguments)], capture_output=True,
                              text=True, timeout=120, check=False)

    def table(self, *arguments):
        done = self.run_table(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        check_document(document, "table")
        ids = [column["id"] for column in document["columns"]]
        for row in document["rows"]:
            self.assertEqual(sorted(row), sorted(ids))
        return document

    def refused(self, code, *arguments):
        done = self.run_table(*arguments)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        return done.stderr


class MadeTables(TableCase):
    def events(self):
        for path in sorted((self.folder / "gpu").rglob("*.xplane.pb")):
            for plane in xplane_decoder.space_read(path.read_bytes()).planes:
                if not plane.name.startswith("/device:"):
                    continue
                for line in plane.lines:
                    if line.name.startswith("Stream #"):
                        yield from line.events

    def test_kernels_and_copies_are_all_that_the_file_has(self):
        kernels, copies = {}, {}
        for event in self.events():
            length = event.duration_ps
            if "kernel_details" in event.stats:
                key = event.name, event.stats["name"]
                fold(kernels, key, 1, length, length, length)
            elif "memcpy_details" in event.stats:
                fold(copies, event.name, 1, length, length, length)
        self.assertGreater(len(kernels), 5)
        self.assertGreater(len(copies), 1)
        found, directions = {}, {}
        document = self.table("kernels", self.folder / "gpu")
        for row in document["rows"]:
            fold(found, (row["kernel_name"], row["op_name"]), row["occurrences"],
                 *[round(row[f"{which}_duration_us"] * 1e6) for which in ("total", "min", "max")])
            self.assertAlmostEqual(row["avg_duration_us"],
                                   row["total_duration_us"] / row["occurrences"])
        self.assertEqual(found, kernels)
        self.assertEqual(document["properties"]["occurrences"],
                         sum(one[0] for one in kernels.values()))
        totals = [row["total_duration_us"] for row in document["rows"]]
        self.assertEqual(totals, sorted(totals, reverse=True))
        for row in self.table("copies", self.folder / "gpu")["rows"]:
            self.assertIn(row["source_memory"], ("host", "device"))
            self.assertGreater(row["bytes"], 0)
            fold(directions, row["kind"], row["occurrences"],
                 *[round(row[f"{which}_duration_us"] * 1e6) for which in ("total", "min", "max")])
        self.assertEqual(directions, copies)

    def test_launches_are_read_as_writers_of_all_years_say_them(self):
        space = xplane_writer.Space()
        plane = space.add_plane("/device:GPU:0", 1)
        line = plane.add_line("Stream #7(Compute)", 7)
        derived = plane.add_line("TensorFlow Ops", 8)
        for i, details in enumerate(DIALECTS):
            for at in (0, 100):
                stats = [xplane_writer.stat_ref("kernel_details", details),
                         xplane_writer.stat_text("annotation", "outer::net/layer:Conv2D")]
                line.add_event(f"kernel{i}", i * 1000 + at, 10 + at, stats)
                derived.add_event(f"kernel{i}", i * 1000 + at, 10 + at, stats)
        line.add_event("nothing said", 9000, 10)
        line.add_event("Memset", 9500, 10,
                       [xplane_writer.stat_text("memset_details", "kind:device num_bytes:12")])
        path = self.folder / "dialects.xplane.pb"
        path.write_bytes(space.encode())
        rows = {row["kernel_name"]: row for row in self.table("kernels", path)["rows"]}
        self.assertEqual(len(rows), len(DIALECTS))
        for i, launch in enumerate(DIALECTS.values()):
            row = rows[f"kernel{i}"]
            self.assertEqual((row["grid_dim"], row["block_dim"], row["registers_per_thread"],
                              row["shmem_bytes"], row["occupancy_pct"]), launch)
            self.assertEqual((row["op_name"], row["occurrences"]), ("net/layer", 2))
            self.assertEqual((row["total_duration_us"], row["min_duration_us"],
                              row["max_duration_us"]), (0.00012, 0.00001, 0.00011))
        document = self.table("copies", path)
        (fill,) = document["rows"]
        self.assertEqual((fill["kind"], fill["bytes"], fill["source_memory"]), ("Memset", 12, None))
        self.assertEqual([one["column"] for one in document["absent"]],
                         ["source_memory", "destination_memory"])

    def test_what_no_launch_says_is_told(self):
        """Registers that no GPU has are memory that a collector has not filled."""
        space = xplane_writer.Space()
        line = space.add_plane("/device:GPU:0", 1).add_line("Stream #7(Compute)", 7)
        for at, details in enumerate(("regs:2191500840 static_shared:32462 dynamic_shared:0 "
                                      "grid:6,1,1 block:256,1,1 occ_pct:0",
                                      "regs:0 grid:7,1,1 block:64,1,1")):
            line.add_event("kernel", 100 * at, 10,
                           [xplane_writer.stat_ref("kernel_details", details)])
        line.add_event("MemcpyH2D", 900, 10,
                       [xplane_writer.stat_text("memcpy_details", "kind:Unknown dest:2 async:1")])
        path = self.folder / "unfilled.xplane.pb"
        path.write_bytes(space.encode())
        document = self.table("kernels", path)
        self.assertEqual({(row["grid_dim"], row["registers_per_thread"], row["shmem_bytes"])
                          for row in document["rows"]},
                         {("6,1,1", None, None), ("7,1,1", None, None)})
        self.assertEqual([one["column"] for one in document["absent"]],
                         ["registers_per_thread", "shmem_bytes", "op_name", "occupancy_pct",
                          "is_op_tensor_core_eligible"])
        (copy,) = self.table("copies", path)["rows"]
        self.assertIsNone(copy["bytes"])

    def test_names_tell_which_kernels_use_tensor_cores(self):
        kernels = {
            "turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_nn": ("jit(f)/jvp(g)/dot_general", True,
                                                               True),
            "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTT": ("jit(f)/g/conv_general_dilated", True,
                                                          True),
            "volta_sgemm_128x64_nt": ("dense/MatMul", False, True),
            "volta_sgemm_32x32_nt": ("gradients/c/Conv2DBackpropInput", False, True),
            "loop_add_fusion": ("jit(f)/add", None, False),
            "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1": (None, None, None)}
        space = xplane_writer.Space()
        line = space.add_plane("/device:GPU:0", 1).add_line("Stream #7(Compute)", 7)
        for i, (name, (path, _, _)) in enumerate(kernels.items()):
            stats = [xplane_writer.stat_ref("kernel_details", "grid:1,1,1 block:64,1,1")]
            stats += [xplane_writer.stat_text("tf_op", path)] if path else []
            line.add_event(name, 1000 * i, 100 - i, stats)
        path = self.folder / "tensor.xplane.pb"
        path.write_bytes(space.encode())
        rows = self.table("kernels", path)["rows"]
        self.assertEqual({row["kernel_name"]: (row["op_name"], row["is_kernel_using_tensor_core"],
                                               row["is_op_tensor_core_eligible"])
                          for row in rows}, kernels)
        self.assertEqual([row["rank"] for row in rows], [1, 2, 3, 4, 5, 6])
        shown = json.loads(self.run_table("kernels", path, "--format", "xprof").stdout)
        types = {column["id"]: column["type"] for column in shown["cols"]}
        place = [column["id"] for column in shown["cols"]].index("is_kernel_using_tensor_core")
        self.assertEqual(types["is_kernel_using_tensor_core"], "boolean")
        self.assertEqual([row["c"][place]["v"] for row in shown["rows"]],
                         [True, True, False, False, None, None])
        done = self.run_table("kernels", path, "--format", "csv")
        self.assertEqual([line.split(",")[-3:] for line in done.stdout.split()][0:2],
                         [["is_kernel_using_tensor_core", "is_op_tensor_core_eligible", "rank"],
                          ["true", "true", "1"]])

    def test_forms_and_limits(self):
        whole = self.table("kernels", self.folder / "gpu", "--limit", "0")
        cut = self.table("kernels", self.folder / "gpu", "--limit", "2")
        self.assertEqual(cut["rows"], whole["rows"][:2])
        self.assertEqual(cut["properties"], whole["properties"])
        self.assertEqual(whole["properties"]["row_count"], len(whole["rows"]))
        done = self.run_table("kernels", self.folder / "gpu", "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(done.stdout, newline="")))
        self.assertEqual(list(rows[0]), [column["id"] for column in whole["columns"]])
        self.assertEqual([float(row["total_duration_us"]) for row in rows],
                         [row["total_duration_us"] for row in whole["rows"]])
        text = self.run_table("kernels", self.folder / "gpu", "--format", "text", "--limit", "1")
        self.assertIn("registers", text.stdout.splitlines()[0])
        self.assertIn("row_count", text.stdout)
        output = self.folder / "kernels.json"
        self.assertEqual(self.run_table("kernels", self.folder / "gpu", "--output",
                                        output).stdout.strip(), str(output))
        self.assertEqual(json.loads(output.read_text()), whole)

    def test_what_cannot_be_given_is_refused_with_the_reason(self):
        self.assertIn("records no launch of a kernel",
                      self.refused(65, "kernels", self.folder / "tpu"))
        self.assertIn("save_device_memory_profile",
                      self.refused(65, "allocations", self.folder / "gpu"))
        self.assertIn("XPlane file", self.refused(65, "ranges", self.folder / "gpu"))
        trace = self.folder / "t.trace.json"
        trace.write_text('{"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, '
                         '"dur": 2}]}')
        self.assertIn(str(trace), self.refused(65, "kernels", trace))
        self.assertIn("did you mean 'kernels'", self.refused(2, "kernel", self.folder / "gpu"))
        self.assertIn("--limit", self.refused(2, "kernels", self.folder / "gpu", "--limit", "-1"))
        self.refused(6, "kernels", self.folder / "not-there")


@unittest.skipUnless(STORED.is_dir(), f"SKIPPED: no real tables in {STORED}")
class RealTables(TableCase):
    def test_kernels_equal_what_xprof_stored_beside_the_capture(self):
        """Its own rows are by launch too, but these files leave out the launch; op names of
        transposes that TensorFlow added keep their type."""
        compared = 0
        for stored in sorted(STORED.glob("*.kernel_stats.pb")):
            capture = SHARED / "profiles/xplane" / stored.name.replace("kernel_stats", "xplane")
            if not capture.exists():
                continue
            expected, found = {}, {}
            theirs, ours = set(), set()
            for _, report in xplane_decoder.fields_read(stored.read_bytes()):
                row = collections.defaultdict(int, xplane_decoder.fields_read(report))
                op = (row[12] or b"").decode().removesuffix(":Transpose")
                fold(expected, (row[1].decode(), op), row[13], row[7], row[8], row[9])
                theirs.add((row[1].decode(), op, bool(row[10]), bool(row[11])))
            for row in self.table("kernels", capture)["rows"]:
                fold(found, (row["kernel_name"], row["op_name"] or ""), row["occurrences"],
                     *[round(row[f"{which}_duration_us"] * 1000)
                       for which in ("total", "min", "max")])
                ours.add((row["kernel_name"], row["op_name"] or "",
                          row["is_kernel_using_tensor_core"] or False,
                          row["is_op_tensor_core_eligible"] or False))
            self.assertEqual(found, expected, stored.name)
            self.assertEqual(ours, theirs, stored.name)
            compared += 1
        self.assertGreaterEqual(compared, 8)


if __name__ == "__main__":
    unittest.main()
