"""Exports of Nsight Systems on the way of every profile: ingested, queued, judged, shown.

What: made exports (support/make_export.py) with steps marked by NVTX ranges, by XLA's ranges and by
an expression of the user; a kernel that became slower; tables of GPUs; reports that a tool exports.
What it does not do: the figures themselves (unit tests).
"""

import hashlib
import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys

from cli_case import ROOT, TIMEOUT_S
from judge_case import SCOPE, JudgeCase

MAKE_EXPORT = ROOT / "tests" / "support" / "make_export.py"
NCCL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


class NsightGate(JudgeCase):
    @classmethod
    def export(cls, name, *options):
        """A made export, made once."""
        folder = cls.folder / "exports"
        folder.mkdir(exist_ok=True)
        path = folder / f"{name}.sqlite"
        if not path.exists():
            subprocess.run([sys.executable, str(MAKE_EXPORT), "--output", str(path), "--steps",
                            "10", "--layers", "2", *options],
                           check=True, timeout=TIMEOUT_S)
        return path

    def test_an_unchanged_run_passes_and_a_slower_kernel_is_named(self):
        marks = ("--marks", "train")
        for seed in range(1, 7):
            self.expect(0, "ingest", *SCOPE, "--branch", "main", "--commit", f"{seed:040x}",
                        "--run", f"main-{seed}",
                        self.export(f"main-{seed}", "--seed", str(seed), *marks))
        for code, status, options in ((0, "pass", ()), (1, "fail", ("--slow", "gemm_fusion=1.2"))):
            candidates = [self.export(f"{status}-{seed}", "--seed", str(seed), *marks, *options)
                          for seed in (11, 12, 13)]
            verdict = self.gate(code, "--branch", status, "--commit", status[0] * 40, *candidates)
            self.assertEqual(verdict["status"], status)
        slower = verdict["ops"][0]
        self.assertEqual(slower["change"], "slower")
        self.assertIn("cutlass_80_tensorop_bf16", slower["name"])
        shown = self.expect(0, "show", f"v{self.verdicts}", "--format", "text").out
        self.assertIn("FAIL", shown.splitlines()[0])
        self.assertIn("cutlass_80_tensorop_bf16", shown)

    def test_copies_without_kernels_are_no_steps_and_no_work(self):
        whole = self.export("whole", "--marks", "train")
        for name, options, method in (("copies", ("--marks", "train"), "host_annotation"),
                                      ("copies-xla", ("--xla",), "none")):
            copies = self.export(name, *options)
            with sqlite3.connect(copies) as base:
                base.execute("DROP TABLE IF EXISTS CUPTI_ACTIVITY_KIND_KERNEL")
            shown = self.expect(0, "summarize", copies).document
            self.assertEqual(shown["steps"]["method"], method)
            told = "\n".join(shown["coverage"]["warnings"])
            self.assertIn("The export has copies, but no table of kernels", told)
            self.assertNotIn("Nothing is known of devices", told)
            self.assertNotIn("there are no ops of devices", told)
        # How long the host takes to launch is no step of a profile that has devices.
        scope = ["--project", "copies", "--workload", "w"]
        self.expect(0, "ingest", *scope, "--branch", "main", "--run", "a",
                    self.folder / "exports/copies.sqlite")
        verdict = self.expect(5, "gate", *scope, "--baseline", "a", "--run", "b", whole).document
        type(self).verdicts += 1
        mismatches = {m["field"]: (m["baseline"], m["candidate"]) for m in verdict["mismatches"]}
        self.assertEqual(mismatches["step_method"], ("host_annotation", "step_annotation"))
        self.assertIn("profiler_options", mismatches)

    def test_steps_of_another_expression_are_not_compared(self):
        scope = ["--project", "ranges", "--workload", "w"]
        path = self.export("ranges", "--marks", "lap")
        with sqlite3.connect(path) as base:
            base.execute("INSERT INTO NVTX_EVENTS SELECT start, end, eventType, rangeId, category,"
                         " color, 'half ' || (rowid * 2), globalTid, endGlobalTid, NULL, domainId"
                         " FROM NVTX_EVENTS")
        other = self.folder / "exports/ranges-b.sqlite"
        shutil.copy(path, other)
        with sqlite3.connect(other) as base:  # other bytes, the same times
            base.execute("CREATE TABLE mark (a INTEGER)")
        self.expect(0, "ingest", *scope, "--branch", "main", "--run", "a", "--step-range",
                    "lap ([0-9]+)", path)
        verdict = self.expect(5, "gate", *scope, "--baseline", "a", "--run", "b", "--step-range",
                              "half ([0-9]+)", other).document
        type(self).verdicts += 1
        self.assertEqual(verdict["status"], "incomparable")
        self.assertEqual([(m["baseline"], m["candidate"]) for m in verdict["mismatches"]
                          if m["field"] == "step_method"],
                         [("step_annotation of lap ([0-9]+)", "step_annotation of half ([0-9]+)")])

    def test_exports_of_ranks_are_one_capture(self):
        scope = ["--project", "ranks", "--workload"]
        launchers = (("RANK", "WORLD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
                     ("PMI_RANK", "PMI_SIZE"), ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"))
        for launcher in (None, *launchers, ("SLURM_PROCID", "SLURM_NTASKS")):
            folder = self.folder / f"ranks-{launcher and '-'.join(launcher)}"
            folder.mkdir()
            for rank in range(2):
                path = folder / (f"report.{4711 + rank}.sqlite" if launcher else
                                 f"report_rank{rank}.sqlite")
                shutil.copy(self.export(f"rank-{rank}", "--marks", "train", "--seed", str(rank)),
                            path)
                with sqlite3.connect(path) as base:
                    base.execute("UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = ?",
                                 (1760000000000000000 + rank * 10 ** 6,))
                    base.execute("CREATE TABLE IF NOT EXISTS META_DATA_CAPTURE (name TEXT, value "
                                 "TEXT)")
                    for name, value in zip(launcher or (), (rank, 3)):
                        base.executemany("INSERT INTO META_DATA_CAPTURE VALUES (?, ?)", [
                            ("PROCESS_0:ENVIRONMENT_VARIABLE", f'{name}="{value}"'),
                            ("PROCESS_1:ENVIRONMENT_VARIABLE", f'{name}="7"')])
            with self.subTest(launcher):
                document = self.expect(0, "ingest", *scope, folder.name, folder).document
                if launcher == ("SLURM_PROCID", "SLURM_NTASKS"):  # of a batch script: no step's
                    self.assertEqual(len(document["profiles"]), 2)
                    self.assertIn("at one time, and neither says its rank", document["notes"][0])
                    continue
                [row] = document["profiles"]
                self.assertEqual(row["hosts"], ["node-0", "process_1"])
                self.assertEqual(row["missing_hosts"], ["process 2"] if launcher else [])

    def test_steps_that_are_runs_of_a_program(self):
        shown = self.expect(0, "summarize", self.export("runs", "--xla")).document
        self.assertEqual((shown["steps"]["method"], shown["steps"]["program"]),
                         ("module_run", "jit_train_step"))

    def test_without_steps_shares_are_of_the_capture(self):
        shown = self.expect(0, "explain", self.export("unmarked"), "--format", "text").out
        self.assertIn("NVTX ranges such as", shown)
        self.assertIn("of the capture", shown)
        self.assertNotIn("of the step", shown)

    def test_pages_and_tables_take_what_they_advise(self):
        path, named = self.export("pages", "--marks", "lap"), ("--step-range", "lap ([0-9]+)")
        summary = self.folder / "pages.json"
        self.expect(0, "summarize", path, "--output", summary)
        for operand in (path, summary):  # which knows no other steps than those of its files
            self.assertIn("--step-range says", json.dumps(self.expect(0, "explain",
                                                                      operand).document))
            shown = self.expect(0, "explain", *named, operand).document
            self.assertEqual((shown["step_method"], shown["step_count"]), ("step_annotation", 10))
            rows = self.expect(0, "table", *named, "steps", operand).document["rows"]
            self.assertEqual({row["step"] for row in rows}, set(range(10, 20)))
        self.expect(0, "summarize", path, *named, "--output", summary)
        rows = self.expect(0, "table", "steps", summary).document["rows"]
        self.assertEqual({row["step"] for row in rows}, set(range(10, 20)))
        for command in (("explain",), ("table", "steps")):
            self.assertIn("is no extended", self.expect(2, *command, path, "--step-range",
                                                        "(").err)

    def test_one_export_with_other_steps_is_another_summary_of_it(self):
        scope = ["--project", "twice", "--workload", "w"]
        path = self.export("twice", "--marks", "lap")
        first = self.expect(0, "ingest", *scope, path).document["profiles"][0]
        again = self.expect(0, "ingest", *scope, path).document["profiles"][0]
        self.assertEqual((again["status"], again["profile"]), ("duplicate", first["profile"]))
        named = self.expect(0, "ingest", *scope, "--step-range", "lap ([0-9]+)",
                            path).document["profiles"][0]
        self.assertNotEqual(named["profile"], first["profile"])
        self.assertEqual(named["supersedes"], first["profile"])
        shown = self.expect(0, "show", "--project", "twice", named["profile"]).document
        self.assertEqual(len(shown["steps"]["rows"]), 10)

    def test_the_queue_takes_them_with_their_expression(self):
        scope = ["--project", "q", "--workload", "w"]
        named = ("--step-range", "lap ([0-9]+)", self.export("queued", "--marks", "lap"))
        self.expect(0, "queue", "add", *scope, *named)
        self.expect(0, "work", "ingest", "--once")
        known = self.expect(0, "ingest", *scope, *named).document["profiles"][0]
        self.assertEqual(known["status"], "duplicate")
        shown = self.expect(0, "show", "--project", "q", known["profile"]).document
        self.assertEqual(shown["producer"]["step_range"], "lap ([0-9]+)")

    def test_tables_of_gpus(self):
        path = self.export("tables", "--xla", "--steps", "3", "--devices", "2")
        rows = self.expect(0, "table", "kernels", path).document["rows"]
        self.assertEqual(len(rows), 4)
        self.assertEqual(sum(row["occurrences"] for row in rows), 3 * 2 * 2 * 4)
        nccl = next(row for row in rows if row["kernel_name"] == NCCL)
        self.assertEqual((nccl["grid_dim"], nccl["block_dim"], nccl["op_name"]),
                         ("128,1,1", "256,1,1", "all-reduce-start"))
        document = self.expect(0, "summarize", path).document
        self.assertEqual([device["name"] for device in document["devices"]],
                         ["/device:GPU:0", "/device:GPU:1"])
        self.assertGreater(document["devices"][0]["exposed_comm_us"], 0)

    def test_a_report_is_exported_where_there_is_the_tool(self):
        report = self.folder / "odd 'name'.nsys-rep"
        report.write_bytes(b"NVIDIA Tegra Profiler Report 2026@1@1@20" + bytes(100))
        refused = self.expect(65, "ingest", *SCOPE, report)
        self.assertIn("nsys export --type sqlite", refused.err)
        tools = self.folder / "tools"
        tools.mkdir()
        temporary = self.folder / "temporary"
        temporary.mkdir(mode=0o777)
        tool = tools / "nsys"
        tool.write_text("""#!/bin/sh
[ "$1 $2 $3" = "export --type sqlite" ] || exit 3
while [ $# -gt 1 ]; do [ "$1" = --output ] && out=$2; shift; done
grep -q "NVIDIA Tegra Profiler Report" "$1" && cp "$EXPORT" "$out"
""")
        tool.chmod(0o755)
        environment = {"PATH": f"{tools}:{self.environment['PATH']}", "TMPDIR": str(temporary),
                       "EXPORT": str(self.export("report", "--marks", "train"))}
        scope = ["--project", "report", "--workload", "w"]
        taken = [self.expect(0, "ingest", *scope, report, environment=environment)
                 .document["profiles"][0] for _ in range(2)]
        self.assertEqual([row["status"] for row in taken], ["stored", "duplicate"])
        self.assertEqual(taken[0]["trace_sha256"], hashlib.sha256(report.read_bytes()).hexdigest())
        rows = self.expect(0, "table", "kernels", report, environment=environment).document["rows"]
        self.assertEqual(len(rows), 4)
        self.assertEqual(list(temporary.iterdir()), [])
        tool.write_text("#!/bin/sh\nexit 4\n")
        failed = self.expect(1, "summarize", report, environment=environment)
        self.assertIn("failed with exit code 4", failed.err)

    def test_what_is_given_wrongly_is_told(self):
        path = self.export("wrong", "--steps", "2")
        result = self.expect(2, "ingest", *SCOPE, "--step-range", "step [0-9]+", path)
        self.assertIn("put it in parentheses", result.err)
        result = self.expect(65, "ingest", *SCOPE, "--step-range", "step ([0-9]+)",
                             self.profile("xplane", "--kind", "tpu"))
        self.assertIn("--step-range", result.err)
        broken = pathlib.Path(self.folder) / "cut.sqlite"
        broken.write_bytes(path.read_bytes()[:9000])
        result = self.expect(65, "ingest", *SCOPE, broken)
        self.assertIn("is a broken SQLite database", result.err)
