"""Tables that lie in traces of PyTorch (Kineto): `stepledger table` of their categories.

What: kernels, copies and ranges of made traces and of the real ones ($STEPLEDGER_SHARED) equal what
a direct reading of the JSON counts; traces without categories and traces that are cut off are
refused. What it does not do: XPlane files (table_test.py), exports of Nsight Systems (unit tests).
"""

import collections
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import make_export  # noqa: E402
import trace_writer  # noqa: E402

BINARY = os.environ.get("STEPLEDGER_BIN", "build/stepledger")
SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", "../shared"))
LARGEST_BYTES = 2000000  # larger ones only take longer
REAL = [path for path in sorted((SHARED / "profiles/trace").glob("*.json*"))
        if path.stat().st_size <= LARGEST_BYTES]
TABLES = {"kernels": ("kernel", "Kernel"), "ranges": ("user_annotation",),
          "copies": ("gpu_memcpy", "Memcpy", "gpu_memset", "Memset")}


def item(category, name, start, duration, **arguments):
    return {"ph": "X", "cat": category, "name": name, "pid": 0, "tid": 7, "ts": start,
            "dur": duration, "args": arguments}


def launched_by(items):
    """How many kernels each op launched, by the External id that both have."""
    def external(row):
        arguments = row.get("args", {})
        return arguments.get("External id", arguments.get("external id"))
    ops = {external(row): row["name"] for row in items if row.get("cat") in ("cpu_op", "Operator")}
    calls = {row["args"].get("correlation"): external(row) for row in items
             if row.get("cat") in ("cuda_runtime", "Runtime") and external(row) is not None}
    counts = collections.Counter()
    for row in items:
        if row.get("ph") == "X" and row.get("cat") in TABLES["kernels"]:
            number = external(row)
            if number is None:
                number = calls.get(row.get("args", {}).get("correlation"))
            counts[None if number is None else ops.get(number)] += 1
    return counts


class TraceTable(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="stepledger-tables-")
        self.addCleanup(holder.cleanup)
        self.path = pathlib.Path(holder.name) / "made.pt.trace.json"

    def table(self, code, name, path):
        done = subprocess.run([BINARY, "table", name, str(path)], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)["rows"] if code == 0 else done.stderr

    def write(self, *items):
        self.path.write_text(json.dumps({"traceEvents": items}))

    def test_kernels_by_launch(self):
        launch = {"grid": [4, 2, 1], "block": [128, 1, 1], "registers per thread": 32,
                  "shared memory": 1040}
        self.write(item("kernel", "gemm", 10, 2.5, **launch),
                   item("kernel", "gemm", 20, 0, **launch),
                   item("Kernel", "gemm", 30, 1, grid=[8, 2, 1], block="odd"),
                   item("cpu_op", "gemm", 10, 3, **launch))
        first, second = self.table(0, "kernels", self.path)
        self.assertEqual((first["grid_dim"], first["block_dim"], first["registers_per_thread"],
                          first["shmem_bytes"], first["occurrences"], first["total_duration_us"],
                          first["min_duration_us"]), ("4,2,1", "128,1,1", 32, 1040, 2, 2.5, 0))
        self.assertEqual((second["grid_dim"], second["block_dim"]), ("8,2,1", None))

    def test_kernels_by_the_op_that_launched_them(self):
        """By the id that both have, by that of the call otherwise, in whatever order they come."""
        self.write(item("kernel", "gemm", 10, 1, **{"External id": 7, "correlation": 1}),
                   item("cpu_op", "aten::mm", 1, 0, **{"External id": 7}),
                   item("cuda_runtime", "launch", 2, 1, **{"External id": 8, "correlation": 2}),
                   item("kernel", "gemm", 20, 2, correlation=2),
                   item("Operator", "aten::ädd", 1, 1, **{"External id": 8}),
                   item("Kernel", "gemm", 30, 3, **{"external id": 7}),
                   item("kernel", "gemm", 40, 5, **{"External id": 9, "correlation": 2}),
                   item("kernel", "gemm", 50, 6, correlation=77))
        rows = {row["op_name"]: (row["occurrences"], row["total_duration_us"])
                for row in self.table(0, "kernels", self.path)}
        self.assertEqual(rows, {"aten::mm": (2, 4), "aten::ädd": (1, 2), None: (2, 11)})

    def test_copies_by_direction(self):
        self.write(item("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 1, 5, bytes=100),
                   item("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 9, 5, bytes=50),
                   item("gpu_memset", "Memset (Device)", 20, 1, bytes=8),
                   item("Memcpy", "Memcpy", 30, 0.5))
        rows = [(row["kind"], row["source_memory"], row["destination_memory"], row["bytes"])
                for row in self.table(0, "copies", self.path)]
        self.assertEqual(rows, [("MemcpyH2D", "pageable", "device", 150),
                                ("Memset", None, "device", 8), ("Memcpy", None, None, None)])

    def test_collectives_of_kernels_are_exposed_where_nothing_computes(self):
        # Of each 300 µs in flight a kernel on another stream hides 200; as each writer has it.
        path = pathlib.Path(self.path.parent)
        rows = [(1000 * step, name, stream, start, duration) for step in range(5)
                for name, stream, start, duration in (
                    ("gemm_kernel", 7, 0, 600), ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 8, 400,
                                                 300))]
        for source in ("torch", "jax"):
            trace = trace_writer.Trace(displayTimeUnit="ns")
            trace.process(0, "python" if source == "torch" else "/device:GPU:0",
                          "GPU 0" if source == "torch" else None)
            for stream in (7, 8):
                trace.thread(0, stream, f"stream {stream}" if source == "torch"
                             else f"Stream #{stream}(Kernel)")
            for at, name, stream, start, duration in rows:
                args = {} if source == "torch" else {
                    "hlo_module": "jit_f", "hlo_op": "all-reduce-start.1" if stream == 8 else "dot"}
                trace.event((0, stream), name, at + start, duration, args,
                            "kernel" if source == "torch" else None)
            (path / f"{source}.trace.json.gz").write_bytes(trace.encode())
        export = make_export.Export(str(path / "nsight.sqlite"))
        for number, (at, name, stream, start, duration) in enumerate(rows):
            begin, text = 10**6 + (at + start) * 1000, export.text(name)
            export.add("CUPTI_ACTIVITY_KIND_KERNEL", begin, begin + duration * 1000, 0, 1, None,
                       stream, number, make_export.GLOBAL_PID, text, text, None, None, None, 64,
                       *[1] * 6, 0, 0, 0, 0, number, None, None, None)
        export.close()
        for name in ("torch.trace.json.gz", "jax.trace.json.gz", "nsight.sqlite"):
            with self.subTest(name=name):
                [row] = self.table(0, "collectives", path / name)
                self.assertEqual((row["collective"], row["occurrences"]), ("all-reduce", 5))
                self.assertAlmostEqual(row["flight_time"], 1500)
                self.assertAlmostEqual(row["exposed_time"], 500)
                self.assertAlmostEqual(row["exposed_share"], 1 / 3)
                summary = path / "summary.json"
                done = subprocess.run([BINARY, "summarize", "--xplane-file", str(path / name),
                                       "--output", str(summary)], capture_output=True, text=True,
                                      timeout=60, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                [again] = self.table(0, "collectives", summary)
                self.assertEqual(again["exposed_time"], row["exposed_time"])

    def test_what_a_trace_cannot_give_is_refused(self):
        self.write(item("cpu_op", "add", 1, 2))
        for name in TABLES:
            said = self.table(65, name, self.path)
            self.assertIn("as those" if name == "ranges" else "is a trace of PyTorch without", said)
            self.assertNotIn("xplane", said)
        self.write(item("kernel", "gemm", 1, 2), item("kernel", "gemm", 5, 2))
        self.path.write_text(self.path.read_text()[:-30])
        self.assertIn("would lack what follows", self.table(65, "kernels", self.path))

    @unittest.skipUnless(REAL, f"no real traces in '{SHARED}'; set STEPLEDGER_SHARED")
    def test_real_ones_add_up_to_what_the_json_holds(self):
        for path in REAL:
            data = path.read_bytes()
            text = gzip.decompress(data) if path.suffix == ".gz" else data
            document = json.loads(text)
            items = document["traceEvents"] if isinstance(document, dict) else document
            for name, categories in TABLES.items():
                wanted = [float(row["dur"]) for row in items
                          if row.get("ph") == "X" and row.get("cat") in categories]
                if not wanted:
                    continue
                with self.subTest(trace=path.name, table=name):
                    rows = self.table(0, name, path)
                    self.assertEqual(sum(row["occurrences"] for row in rows), len(wanted))
                    self.assertAlmostEqual(sum(row["total_duration_us"] for row in rows),
                                           sum(wanted), delta=1e-6 * sum(wanted) + 1e-9)
                    if name == "kernels":
                        counts = collections.Counter()
                        for row in rows:
                            counts[row["op_name"]] += row["occurrences"]
                        self.assertEqual(counts, launched_by(items))


PAIRS = [(path, SHARED / "profiles/xplane" / path.name.replace(".trace.json.gz", ".xplane.pb"))
         for path in sorted((SHARED / "profiles/trace").glob("ecbme*gpu*.trace.json.gz"))]


class HostEvents(unittest.TestCase):
    def overview(self, path):
        done = subprocess.run([BINARY, "table", "overview", str(path)], capture_output=True,
                              text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {row["part"]: (row["average_us"], row["xprof_average_us"])
                for row in json.loads(done.stdout)["rows"] if row["scope"] == "step"}

    def test_what_is_shown_of_a_name_is_not_all_that_it_says(self):
        parts = self.steps_of((1, 1, "0", 100, 100, {}), (1, 2, "gemm", 100, 40, {}),
                              (1, 2, "gemm", 180, 20, {}),
                              (2, 3, "_Send", 150, 25, {"long_name": "IteratorGetNext/_1:_Send"}))
        self.assertEqual((parts["compute"], parts["input_wait"], parts["idle"]), (60, 25, 15))

    def test_what_is_of_another_group_is_no_part_of_the_step(self):
        """Steps are called what the viewer shows, `train 12`, groups are counted from 0."""
        group = {"group_id": "0"}
        parts = self.steps_of(
            (1, 1, "train 12", 100, 100, {**group, "step_name": "train 12"}),
            (1, 2, "gemm", 100, 40, group), (1, 2, "gemm", 180, 20, group),
            (2, 3, "ExecutorState::Process", 140, 10, group),
            (2, 3, "ExecutorState::Process", 150, 10, {"group_id": "1"}),
            (2, 3, "ExecutorState::Process", 160, 5, {}))
        self.assertEqual((parts["compute"], parts["kernel_launch"], parts["idle"]), (60, 10, 30))

    def steps_of(self, *events):
        """The parts of the step of a made trace: a GPU with steps and kernels, a host's thread."""
        items = [{"ph": "M", "name": name, "pid": pid, "tid": tid, "args": {"name": text}}
                 for name, pid, tid, text in (("process_name", 1, 0, "/device:GPU:0"),
                                              ("process_name", 2, 0, "/host:CPU"),
                                              ("thread_name", 1, 1, "Steps"),
                                              ("thread_name", 1, 2, "Stream #1(Kernel)"),
                                              ("thread_name", 2, 3, "main"))]
        items += [{"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": ts, "dur": dur,
                   "args": more}
                  for pid, tid, name, ts, dur, more in events]
        with tempfile.TemporaryDirectory(prefix="stepledger-names-") as folder:
            path = pathlib.Path(folder) / "host.trace.json"
            path.write_text(json.dumps({"traceEvents": items}))
            return {part: whole for part, (whole, _) in self.overview(path).items()}

    @unittest.skipUnless(PAIRS, f"SKIPPED: no real traces in {SHARED}")
    def test_a_step_has_the_parts_that_the_profile_has_which_the_trace_shows(self):
        for trace, profile in PAIRS:
            shown, whole = self.overview(trace), self.overview(profile)
            self.assertEqual(list(shown), list(whole))
            for part, averages in shown.items():
                for ours, theirs in zip(averages, whole[part], strict=True):
                    self.assertAlmostEqual(ours, theirs, 3, (trace.name, part))
        self.assertGreaterEqual(len(PAIRS), 8)


if __name__ == "__main__":
    unittest.main()
