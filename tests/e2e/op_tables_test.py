"""Tables of ops: `stepledger table op_profile|phases|hlo_stats|framework_op_stats|roofline`.

What: time of ops equals what a direct reading of the same bytes nests and adds up; rates follow
from the file's own numbers and peaks; what a source cannot give is left out with the reason; the
tables of real captures equal what xprof stored beside them ($STEPLEDGER_SHARED). What it does not
do: kernels and copies (table_test.py).
"""

import collections
import json
import os
import pathlib
import re
import struct
import subprocess
import statistics
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import xplane_decoder  # noqa: E402
import xplane_writer  # noqa: E402
from folder_case import MadeCase  # noqa: E402
from hlo_writer import Program  # noqa: E402
from json_schema import check_document  # noqa: E402
from xplane_writer import stat_blob, stat_int, stat_text  # noqa: E402

BINARY = os.environ.get("STEPLEDGER_BIN", "build/stepledger")
SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", "../shared"))
PROFILES = SHARED / "profiles"
REAL_TPU = PROFILES / "xplane/openxla__xprof__tpu_inference_2-valid.xplane.pb"
TABLES = ("op_profile", "phases", "hlo_stats", "framework_op_stats", "roofline")
GIB = 2 ** 30


def run(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False)


def self_times(events):
    """Own time by (start, -end): what the direct children take is taken off."""
    order = sorted(events, key=lambda event: (event.start_ps, -event.duration_ps))
    own, stack = [event.duration_ps for event in order], []
    for i, event in enumerate(order):
        end = event.start_ps + event.duration_ps
        while stack and (event.start_ps >= stack[-1][0] or end > stack[-1][0]):
            stack.pop()
        if stack:
            own[stack[-1][1]] -= event.duration_ps
        stack.append((end, i))
    return zip(order, own)


class OpTablesCase(unittest.TestCase):
    maxDiff = 3000

    def table(self, name, source, *options):
        done = run("table", name, source, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        check_document(document, "table")
        ids = sorted(column["id"] for column in document["columns"])
        for row in document["rows"]:
            self.assertEqual(sorted(row), ids)
        for absence in document["absent"]:
            self.assertLessEqual({row.get(absence["column"]) for row in document["rows"]}, {None})
        return document

    def groupings_add_up(self, document, total):
        sums = collections.Counter()
        for row in document["rows"]:
            sums[row["grouping"]] += round(row["total_self_time"] * 1e6)
        for grouping in ("category", "program", "phase"):
            self.assertEqual(sums[grouping], round(total * 1e6), grouping)


class ProgramCase(OpTablesCase):
    """A place for a profile, in a folder of its own."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="stepledger-programs-")
        self.addCleanup(holder.cleanup)
        self.path = pathlib.Path(holder.name) / "gpu.xplane.pb"


def gpu_profile(events, proto, program_id=7):
    """Kernels behind each other, of instructions of the program."""
    space = xplane_writer.Space()
    device = space.add_plane("/device:GPU:0", 1)
    line = device.add_line("Stream #1(Kernel)", 1)
    at = 0
    for kernel, instruction, duration in events:
        line.add_event(kernel, at, duration, [
            stat_text("kernel_details", "regs:8 grid:1,1,1 block:32,1,1"),
            stat_text("hlo_op", instruction), stat_text("hlo_module", "jit_f"),
            stat_int("program_id", program_id)])
        at += duration
    if proto is not None:
        metadata = space.add_plane("/host:metadata", 2)
        metadata.add_event_metadata("f", xplane_writer.EventMetadata(
            f"jit_f({program_id})", stats=(stat_blob("Hlo Proto", proto),)))
    return space.encode()


# Operations and bytes of a run, by hand: of shapes below.
COSTS = {
    "dot.1": (2 * 8 * 32 * 16, 4 * (8 * 16 + 16 * 32 + 8 * 32), "dot"),
    "gemm.2": (2 * 64 * 32 * 16, 2 * (64 * 16 + 16 * 32) + 2 * 64 * 32 + 1000, "custom-call"),
    "conv.3": (2 * (2 * 6 * 6 * 10) * (3 * 3 * 4),
               4 * (2 * 8 * 8 * 4 + 3 * 3 * 4 * 10 + 2 * 36 * 10), "convolution"),
    "fusion.4": (2 * 256 + 255, 4 * 256 + 4, "loop fusion"),
    "add.5": (256, 3 * 4 * 256, "non-fusion elementwise"),
    "tanh.6": (0, 2 * 4 * 256, "tanh"),
    "slice.7": (0, 2 * 4 * 8, "slice"),
    "while.8": (None, None, "while"),
    "call.9": (None, 2 * 4 * 256, "custom-call"),
}


def cost_program():
    program = Program("jit_f")
    for name, shape in (("a", "f32[8,16]"), ("b", "f32[16,32]"), ("v", "f32[256]"),
                        ("c", "bf16[64,16]"), ("d", "bf16[16,32]"), ("image", "f32[2,8,8,4]"),
                        ("kernel", "f32[3,3,4,10]")):
        program.add("main", name, "parameter", shape)
    program.add("sum", "x", "parameter", "f32[]")
    program.add("sum", "plus", "add", "f32[]", ("x", "x"))
    program.add("body", "p", "parameter", "f32[256]")
    program.add("body", "square", "multiply", "f32[256]", ("p", "p"))
    program.add("body", "again", "add", "f32[256]", ("square", "p"))
    program.add("body", "wave", "cosine", "f32[256]", ("again",))
    program.add("body", "zero", "constant", "f32[]")
    program.add("body", "root", "reduce", "f32[]", ("wave", "zero"), ("sum",))
    program.add("main", "dot.1", "dot", "f32[8,32]", ("a", "b"), contracting=(1,),
                path="jit(f)/transpose(jvp(net))/dot_general", source=("net.py", 12))
    program.add("main", "gemm.2", "custom-call", "bf16[64,32] pred[1000]", ("c", "d"),
                target="__cublas$gemm", backend='{"gemm_backend_config":{"dot_dimension_numbers":'
                '{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"]}}}')
    program.add("main", "conv.3", "convolution", "f32[2,6,6,10]", ("image", "kernel"), feature=3)
    program.add("main", "fusion.4", "fusion", "f32[]", ("v",), ("body",), kind="kLoop",
                path="jit(f)/jvp(net)/reduce_sum")
    program.add("main", "add.5", "add", "f32[256]", ("v", "v"))
    program.add("main", "tanh.6", "tanh", "f32[256]", ("v",))
    program.add("main", "slice.7", "slice", "f32[8]", ("v",))
    program.add("main", "while.8", "while", "f32[256]", ("v",), ("body", "sum"))
    program.add("main", "call.9", "custom-call", "f32[256]", ("v",), target="mine")
    return program


class Programs(OpTablesCase):
    """What programs in the file say of ops whose work the profile does not tell."""

    def setUp(self):
        self.holder = tempfile.TemporaryDirectory(prefix="stepledger-op-tables-")
        self.addCleanup(self.holder.cleanup)
        self.path = pathlib.Path(self.holder.name) / "gpu.xplane.pb"

    def rows(self, events, proto, **more):
        self.path.write_bytes(gpu_profile(events, proto, **more))
        document = self.table("hlo_stats", self.path)
        return {row["hlo_op_name"]: row for row in document["rows"]}, document["properties"]

    def test_a_run_costs_what_its_shapes_say(self):
        events = [("k", f"loop::{name}", 1000) for name in COSTS for _ in range(3)]
        rows, facts = self.rows(events, cost_program().encode())
        for name, (flops, size, category) in COSTS.items():
            row = rows[name]
            self.assertEqual((row["category"], row["occurrences"]), (category, 3))
            rate, bandwidth = row["normalized_flop_rate"], row["measured_memory_bw"]
            self.assertEqual(rate is None, flops is None, name)
            if flops is not None:
                self.assertAlmostEqual(rate, flops, msg=name)  # each takes a nanosecond
            self.assertEqual(bandwidth is None, size is None, name)
            if size is not None:
                self.assertAlmostEqual(bandwidth * GIB / 1e9, size, msg=name)
        self.assertEqual((rows["dot.1"]["tf_op_name"], rows["dot.1"]["source_info"]),
                         ("jit(f)/transpose(jvp(net))/dot_general", "net.py:12"))
        self.assertEqual(rows["dot.1"]["hlo_op_expression"], "f32[8,32] dot(f32[8,16],f32[16,32])")
        self.assertEqual(facts["joined_time_share"], 1)
        phases = {row["name"]: row["occurrences"]
                  for row in self.table("phases", self.path)["rows"]}
        self.assertEqual(phases, {"backward": 3, "forward": 3, "unattributed": 21})

    def test_kernels_of_one_instruction_are_one_op_that_ran_as_often_as_the_most_frequent(self):
        events = [("gemm", "dot.1", 900), ("split", "dot.1", 100)] * 4 + [("gemm", "dot.1", 1000)]
        rows, _ = self.rows(events, cost_program().encode())
        self.assertEqual(list(rows), ["dot.1"])
        self.assertEqual((rows["dot.1"]["occurrences"], rows["dot.1"]["total_time"]), (5, 0.005))
        self.assertAlmostEqual(rows["dot.1"]["normalized_flop_rate"], COSTS["dot.1"][0])

    def test_programs_that_are_broken_or_missing_tell_nothing(self):
        whole = cost_program().encode()
        cyclic = Program("jit_f")
        cyclic.add("body", "p", "parameter", "f32[4]")
        cyclic.add("body", "dot.1", "fusion", "f32[4]", ("p",), ("body", "body", "body"))
        for proto, joined, broken in ((whole[:-40], False, 1), (b"\x0a\x04\x1a\x7fno", False, 1),
                                      (b"", False, 0), (cyclic.encode(), True, 0)):
            rows, facts = self.rows([("k", "dot.1", 1000)], proto)
            self.assertEqual(rows["dot.1"].get("normalized_flop_rate"), None)
            self.assertEqual("joined_time_share" in facts, joined)
            self.assertEqual(facts.get("broken_programs", 0), broken)
        rows, facts = self.rows([("k", "dot.1", 1000)], whole, program_id=8)
        self.assertEqual(facts["joined_time_share"], 1)
        other = gpu_profile([("k", "dot.1", 1000)], whole).replace(b"jit_f(7)", b"jit_f(9)")
        self.path.write_bytes(other)
        self.assertNotIn("joined_time_share", self.table("hlo_stats", self.path)["properties"])


class MadeProfiles(MadeCase, OpTablesCase):
    def planes(self, kind):
        for path in sorted((self.folder / kind).rglob("*.xplane.pb")):
            for plane in xplane_decoder.space_read(path.read_bytes()).planes:
                if plane.name.startswith("/device:"):
                    yield plane

    def test_own_time_of_ops_is_that_of_the_bytes(self):
        expected = collections.defaultdict(lambda: [0, 0, 0, 0.0])
        for plane in self.planes("tpu"):
            for line in plane.lines:
                if line.name != "XLA Ops":
                    continue
                for event, own in self_times([e for e in line.events if e.duration_ps > 0]):
                    row = expected[event.name, str(event.stats["program_id"] % 2 ** 64)]
                    row[0] += 1
                    row[1] += event.duration_ps
                    row[2] += own
                    row[3] += event.stats.get("flops", 0)
        document = self.table("hlo_stats", self.folder / "tpu")
        found = {}
        for row in document["rows"]:
            self.assertNotIn((row["hlo_op_name"], row["program_id"]), found)
            found[row["hlo_op_name"], row["program_id"]] = [
                row["occurrences"], round(row["total_time"] * 1e6),
                round(row["total_self_time"] * 1e6)]
            flops = expected[row["hlo_op_name"], row["program_id"]][3]
            self.assertAlmostEqual((row["normalized_flop_rate"] or 0) * row["total_time"] * 1e3,
                                   flops, delta=1e-6 * flops)
        self.assertEqual(found, {key: row[:3] for key, row in expected.items()})
        self.assertGreater(len(found), 10)
        own = [row["total_self_time"] for row in document["rows"]]
        self.assertEqual(own, sorted(own, reverse=True))
        self.assertAlmostEqual(document["rows"][-1]["cumulative_total_self_time_percent"], 100)
        self.assertAlmostEqual(sum(own), document["properties"]["busy_time_us"], places=5)

    def test_framework_ops_run_as_often_as_the_most_frequent_of_their_instructions(self):
        for kind in ("tpu", "gpu"):
            expected = {}
            for row in self.table("hlo_stats", self.folder / kind)["rows"]:
                path = row.get("tf_op_name") or row["hlo_op_name"]
                most, own, ops = expected.get(path.rstrip(":"), (0, 0, 0))
                expected[path.rstrip(":")] = (max(most, row["occurrences"]),
                                              own + round(row["total_self_time"] * 1e6), ops + 1)
            self.assertTrue(any(ops > 1 for _, _, ops in expected.values()))
            found = {row["operation"]: (row["occurrences"], round(row["total_self_time"] * 1e6))
                     for row in self.table("framework_op_stats", self.folder / kind)["rows"]}
            self.assertEqual(found, {path: row[:2] for path, row in expected.items()})

    def test_each_grouping_adds_up_to_all_time(self):
        for kind in ("gpu", "tpu"):
            document, phases = (self.table(name, self.folder / kind) for name in TABLES[:2])
            self.groupings_add_up(document, document["properties"]["self_time_us"])
            untold = {absence["column"] for absence in phases["absent"]}  # most is, in all rows
            self.assertEqual([{**row, **dict.fromkeys(untold)} for row in phases["rows"]],
                             [row for row in document["rows"] if row["grouping"] == "phase"])
        self.assertLessEqual({"forward", "backward"}, {row["name"] for row in phases["rows"]})
        cut = self.table("op_profile", self.folder / "tpu", "--limit", "1")
        self.assertEqual([row["grouping"] for row in cut["rows"]], ["category", "program", "phase"])
        self.assertEqual(cut["properties"]["row_count"], len(document["rows"]))

    def test_what_a_source_cannot_give_is_left_out_with_the_reason(self):
        path = self.folder / "bare.xplane.pb"
        path.write_bytes(gpu_profile([("kernel", "fusion.1", 100)], None))
        for name in TABLES:
            document = self.table(name, path)
            columns = {column["id"] for column in document["columns"]}
            told = {absence["column"] for absence in document["absent"]}
            rates = {"flop_rate", "measured_flop_rate", "normalized_flop_rate"}
            self.assertFalse(columns & rates | columns & {"memory_bw", "measured_memory_bw"}, name)
            self.assertTrue(told & rates, name)

    def test_collectives_fly_and_are_waited_for(self):
        """Of whole ones their event, of others that of the asynchronous line; and what both ends
        keep the device waiting."""
        flight, exposed, runs = (collections.Counter() for _ in range(3))
        kinds = ("all-reduce", "all-gather", "reduce-scatter")

        def kind_of(event):
            opcode = event.stats.get("hlo_category", event.name)
            return next((kind for kind in kinds if opcode.startswith(kind)), None), opcode
        for plane in self.planes("tpu"):
            for line in plane.lines:
                if line.name not in ("XLA Ops", "Async XLA Ops"):
                    continue
                for event, own in self_times([e for e in line.events if e.duration_ps > 0]):
                    kind, opcode = kind_of(event)
                    if kind is None:
                        continue
                    half = opcode.endswith(("-start", "-done"))
                    if line.name == "Async XLA Ops" or not half:
                        flight[kind] += event.duration_ps
                    if line.name == "XLA Ops":
                        exposed[kind] += own
                        runs[kind] += not opcode.endswith("-start")
        document = self.table("collectives", self.folder / "tpu")
        self.assertEqual(len(document["rows"]), len(runs))
        self.assertGreater(len(runs), 1)
        for row in document["rows"]:
            kind = row["collective"]
            self.assertEqual((row["occurrences"], round(row["flight_time"] * 1e6),
                              round(row["exposed_time"] * 1e6)),
                             (runs[kind], flight[kind], exposed[kind]))
            self.assertAlmostEqual(row["effective_bandwidth"] * GIB * row["flight_time"] / 1e6,
                                   row["payload_bytes"], delta=1e-6 * row["payload_bytes"])
            self.assertGreater(row["device_skew"], 0)
        on_gpu = self.table("collectives", self.folder / "gpu")
        self.assertIn("exposed_time", {absence["column"] for absence in on_gpu["absent"]})
        self.assertGreater(on_gpu["properties"]["exposed_communication_us"], 0)
        bare = self.folder / "alone.xplane.pb"
        bare.write_bytes(gpu_profile([("kernel", "fusion.1", 100)], None))
        done = run("table", "collectives", bare)
        self.assertEqual((done.returncode, done.stdout, "exchanges" in done.stderr), (65, "", True))

    def test_efficiency_says_what_it_was_computed_from(self):
        path = next((self.folder / "tpu").rglob("*.xplane.pb"))
        summary = json.loads(run("summarize", "--xplane-file", path).stdout)
        step_s = statistics.median(
            row["period_us"] for row in summary["steps"]["rows"]
            if not row["warmup"] and row["period_us"] is not None) / 1e6
        peaks = self.folder / "peaks.conf"
        peaks.write_text("tflops = 100\nhbm_gb_per_s = 1000\n")
        stated = ("--peaks", peaks, "--model-flops-per-step", "3e12", "--tokens-per-step", "4096")
        facts = self.table("phases", path, *stated)["properties"]
        self.assertAlmostEqual(facts["mfu"], 3e12 / step_s / 2 / 100e12)
        self.assertIn("as stated", facts["mfu_of"])
        self.assertAlmostEqual(facts["tokens_per_second_per_device"], 4096 / step_s / 2)
        self.assertEqual((facts["peak_flop_rate"], facts["peak_flop_rate_source"]),
                         (1e5, str(peaks)))
        overview = self.table("overview", path, *stated)["properties"]
        for name in ("mfu", "mfu_of", "tokens_per_second_per_device"):
            self.assertEqual(overview[name], facts[name])
        self.assertIn("hlo_stats", self.table("overview", path)["properties"]["mfu_absent"])
        self.assertAlmostEqual(facts["peak_hbm_bw"], 1e12 / GIB)
        kept = self.folder / "stated.json"
        kept.write_text(run("summarize", "--xplane-file", path, "--meta", "tokens_per_step=4096",
                            "--meta", "model_flops_per_step=3e12").stdout)
        again = self.table("phases", kept, "--peaks", peaks)["properties"]
        self.assertEqual((again["mfu"], again["tokens_per_second_per_device"]),
                         (facts["mfu"], facts["tokens_per_second_per_device"]))
        facts = self.table("hlo_stats", path)["properties"]
        flops = sum(op["flops"] * op["steady_count"] / op["count"] for op in summary["ops"]
                    if op["flops"] is not None and op["phase"] != "recompute"
                    and not op["asynchronous"] and not op["opcode"].endswith("-start")
                    and op["category"] not in ("while", "call", "conditional"))
        flops /= summary["steps"]["steady_spans"]
        self.assertAlmostEqual(facts["mfu"], flops / step_s / (facts["peak_flop_rate"] * 1e9))
        figures = {figure["measure"]: figure for figure in summary["figures"]}
        self.assertEqual((figures["mfu"]["value"], figures["mfu"]["of"]),
                         (facts["mfu"], facts["mfu_of"]))
        self.assertIn("without recomputation", facts["mfu_of"])
        self.assertIn("--tokens-per-step", facts["tokens_per_second_per_device_absent"])
        self.assertIsNone(figures["tokens_per_second_per_device"]["value"])
        bare = self.folder / "bare2.xplane.pb"
        bare.write_bytes(gpu_profile([("kernel", "fusion.1", 100)], None))
        facts = self.table("phases", bare, "--peaks", peaks)["properties"]
        self.assertNotIn("mfu", facts)
        self.assertIn("--model-flops-per-step", facts["mfu_absent"])
        self.assertIn("devices can do",
                      self.table("phases", bare, *stated[2:])["properties"]["mfu_absent"])
        for text, said in (("tflops = x", ":1: tflops = x"), ("speed = 1", "tflops"),
                           ("", "neither"), ("tflops = 1\ntflops = 2", "tflops"),
                           ("tflops = 989e12", "at most 1000000, of 10^12 operations")):
            peaks.write_text(text + "\n")
            done = run("table", "phases", path, "--peaks", peaks)
            self.assertIn(done.returncode, (2, 65), text)
            self.assertIn(said, done.stderr)
        self.assertEqual(run("table", "phases", path, "--tokens-per-step", "0").returncode, 2)

    def test_a_summary_gives_the_same_sums(self):
        path = next((self.folder / "tpu").rglob("*.xplane.pb"))
        summary = self.folder / "summary.json"
        summary.write_text(run("summarize", "--xplane-file", path).stdout)
        for name in ("op_profile", "phases"):
            from_file, kept = self.table(name, path), self.table(name, summary)
            self.assertEqual(kept["properties"]["self_time_us"],
                             from_file["properties"]["self_time_us"])
        named = {row["name"]: row for row in from_file["rows"]}
        for row in kept["rows"]:
            self.assertEqual(row["total_self_time"], named[row["name"]]["total_self_time"])
        foreign = self.folder / "foreign.json"
        theirs = json.loads(summary.read_text())
        for ours in ("producer", "environment", "steps", "devices", "ops", "coverage", "sources",
                     "capture", "other_steps", "measured", "figures"):
            theirs.pop(ours)
        foreign.write_text(json.dumps(theirs))
        done = run("table", "phases", foreign)
        self.assertEqual((done.returncode, done.stdout), (65, ""))
        self.assertIn("another tool", done.stderr)

    def test_the_layout_of_xprof_holds_the_same_values(self):
        for name in set(TABLES) - {"op_profile"}:  # a tree: xprof_written_test.py
            ours = self.table(name, self.folder / "tpu")
            theirs = json.loads(run("table", name, self.folder / "tpu", "--format", "xprof").stdout)
            if isinstance(theirs, list):  # of two: xprof_tables_test.py
                theirs = theirs[-1 if name == "framework_op_stats" else 0]
            ids = [column["id"] for column in theirs["cols"]]
            self.assertEqual(ids, [column["id"] for column in ours["columns"]])
            self.assertEqual([dict(zip(ids, [cell["v"] for cell in row["c"]]))
                              for row in theirs["rows"]], ours["rows"])
            self.assertEqual(set(theirs["p"]), set(ours["properties"]))
            self.assertTrue(all(isinstance(value, str) for value in theirs["p"].values()))
            kinds = {"string": (str, type(None)), "number": (int, float, type(None))}
            for column in theirs["cols"]:
                for row in ours["rows"]:
                    self.assertIsInstance(row[column["id"]], kinds[column["type"]])


@unittest.skipUnless(REAL_TPU.is_file(), f"SKIPPED: no real profiles in {PROFILES}")
class RealProfiles(OpTablesCase):
    def test_a_tpu_is_busy_with_its_categories(self):
        document = self.table("op_profile", REAL_TPU)
        self.groupings_add_up(document, document["properties"]["busy_time_us"])
        self.assertNotIn("overlapping_time_us", document["properties"])

    def test_rates_are_of_the_file_s_numbers_and_peaks(self):
        (collective,) = self.table("collectives", REAL_TPU)["rows"]
        self.assertEqual((collective["group_size"], collective["group_count"]), (2, 4))
        self.assertEqual((collective["collective"], collective["payload_bytes"]),
                         ("all-reduce", 12 * 5 * 1024 * 1024 * 256 * 4))
        roof = self.table("roofline", REAL_TPU)
        facts = roof["properties"]
        self.assertEqual((facts["peak_flop_rate"], facts["peak_flop_rate_source"]),
                         (918000, "plane_stat"))
        self.assertAlmostEqual(facts["peak_hbm_bw"], 1637.993152512e9 / GIB)
        rows = {row["operation"]: row for row in roof["rows"]}
        self.assertTrue(all(row["bound_by"] for row in roof["rows"]))
        fusion = rows["broadcast_add_fusion.1"]  # 1342177280 operations, 10737418240 bytes each
        runs, us = fusion["occurrences"], fusion["total_time"]
        self.assertAlmostEqual(fusion["measured_flop_rate"], 1342177280 * runs / us / 1e3)
        self.assertAlmostEqual(fusion["measured_memory_bw"], 10737418240 * runs / us * 1e6 / GIB)
        self.assertAlmostEqual(fusion["operational_intensity"], 0.125)
        self.assertEqual(fusion["bound_by"], "HBM")
        self.assertAlmostEqual(fusion["roofline_efficiency"],
                               fusion["measured_memory_bw"] / facts["peak_hbm_bw"])
        self.assertAlmostEqual(fusion["optimal_flop_rate"],
                               fusion["operational_intensity"] * 1637.993152512)
        self.assertEqual(rows["all-reduce"]["bound_by"], "Communication")
        self.assertIsNone(rows["copy-done"]["roofline_efficiency"])
        program = roof["rows"][0]
        self.assertEqual((program["operation"], program["rank"]), ("Program", 0))
        self.assertAlmostEqual(program["total_time"], facts["busy_time_us"] + facts["idle_time_us"],
                               places=4)

    def test_products_of_a_gpu_are_counted_by_their_shapes(self):
        document = self.table("hlo_stats",
                              PROFILES / "xplane/AMD-AGI__TraceLens__mi300-jax08_gemm.xplane.pb")
        products = [row for row in document["rows"] if row["category"] == "custom-call"]
        self.assertEqual(len(products), 5)
        for row in products:
            result, left, right = [
                [int(size) for size in sizes.split(",")]
                for sizes in re.findall(r"bf16\[([0-9,]+)\]", row["hlo_op_expression"])]
            (m, k), (n,) = left, right[1:]
            self.assertEqual((result, right[0]), ([m, n], k))
            self.assertAlmostEqual(row["normalized_flop_rate"] * row["total_time"] * 1e3,
                                   2.0 * m * n * k * row["occurrences"], delta=1e-3 * m * n * k)
        self.assertGreater(document["properties"]["joined_time_share"], 0.95)

    def test_framework_ops_equal_what_xprof_stored(self):
        """Of names with a hyphen it does not see the type."""
        compared = 0
        for stored in sorted((PROFILES / "tool-output").glob("ecb*.tensorflow_stats.pb")):
            expected, found = {}, {}
            (table,) = [value for number, value in xplane_decoder.fields_read(stored.read_bytes())
                        if number == 5]
            for number, record in xplane_decoder.fields_read(table):
                row = dict(xplane_decoder.fields_read(record)) if number == 1 else {}
                if row.get(2) != b"Device":
                    continue
                name, kind = row[4].decode(), row[3].decode()
                if kind == "Unknown" and ":" in name:
                    name, kind = name.rsplit(":", 1)
                expected[name, kind] = (row[5], *[round(struct.unpack("<d", row[place])[0], 6)
                                                  for place in (6, 8)])
            capture = PROFILES / "xplane" / stored.name.replace("tensorflow_stats", "xplane")
            for row in self.table("framework_op_stats", capture)["rows"]:
                found[row["operation"], row["type"]] = (
                    row["occurrences"], row["total_time"], row["total_self_time"])
            extra = set(found) - set(expected)  # which xprof leaves out
            self.assertEqual(extra, {("MemcpyD2H", "Unknown")})
            self.assertEqual({key: found[key] for key in expected}, expected)
            compared += 1
        self.assertGreaterEqual(compared, 3)


if __name__ == "__main__":
    unittest.main()
