"""Figures of a step: computed once, the same in the document, the ledger, tables and the gate.

What: MFU, throughput, memory, recomputation, input, of profiles whose every event is said or which
are made as a training run; that they can be gated and followed, go with an export, and say why they
are not known. What it does not do: rates of ops (op_tables_test.py).
"""

import html
import statistics
import sys
import unittest

from cli_case import ROOT, LedgerCase

sys.path.insert(0, str(ROOT / "tests" / "support"))

from gpu_job import Job  # noqa: E402
from hlo_writer import Program  # noqa: E402
from xplane_writer import EventMetadata, stat_blob, stat_int, stat_text  # noqa: E402

MIB = 1 << 20
SCOPE = ["--project", "p", "--workload", "w"]


def step_to_step_s(steps):
    """The median time from a steady step to the next, of a document's steps."""
    return statistics.median(row["period_us"] for row in steps["rows"]
                             if not row["warmup"] and row["period_us"] is not None) / 1e6


def waiting_job(path, share, peak_mib=None):
    """Six steps of 1000 µs, of which the GPU waits for input for a share."""
    job = Job()
    for number in range(6):
        begin = 1000 * number
        waits = int(share * 1000)
        job.annotate(number, begin, begin + 999)
        if waits:
            job.call("data_load", begin + 1, begin + 1 + waits)
        job.launch("gemm", begin + 2 + waits, begin + waits + 4, begin + 1000)
        if peak_mib:
            for name, mib in (("GPU_0_bfc", peak_mib), ("GPU_host_bfc", 9 * peak_mib)):
                job.thread.add_event("MemoryAllocation", (begin + 5) * 1_000_000, 0, [
                    stat_text("allocator_name", name), stat_int("bytes_reserved", 0),
                    stat_int("bytes_allocated", (mib - number) * MIB)])
    return job.write(path)


def holding_program(wide_mib):
    """A product of known work; the result of a fusion is as large as is said."""
    program = Program("jit_f")
    program.add("main", "a", "parameter", "f32[1000,1000]")
    program.add("main", "dot.1", "dot", "f32[1000,1000]", ("a", "a"), contracting=(1,),
                path="jit(f)/net/dot_general")
    program.add("main", f"fusion.{wide_mib}", "add", "f32[1000,1000]", ("dot.1", "a"),
                path="jit(f)/net/widen")
    program.hold({1: (wide_mib * MIB, f"fusion.{wide_mib}"), 2: (100 * MIB, "dot.1")},
                 [(300 * MIB, [], {5: 1}), (wide_mib * MIB, [1], {}), (100 * MIB, [2], {})])
    return program.encode()


def holding_job(path, program, seed=0):
    """Six steps that run the program's product; without a program the file names it alone."""
    job = Job()
    job.streams[0][0].plane.add_stat(stat_text("device_type_string", "NVIDIA H100 80GB HBM3"))
    ran = [stat_text("hlo_op", "dot.1"), stat_text("hlo_module", "jit_f"),
           stat_int("program_id", 7)]
    for number in range(6):
        begin = 1000 * number
        job.annotate(number, begin, begin + 999)
        job.launch("gemm", begin + 2, begin + 4, begin + 900 + (number + seed) % 3, more=ran)
    if program is not None:
        job.space.add_plane("/host:metadata", 9).add_event_metadata(
            "f", EventMetadata("jit_f(7)", stats=(stat_blob("Hlo Proto", program),)))
    return job.write(path)


class Figures(LedgerCase):
    maxDiff = 3000

    def figures(self, *arguments):
        document = self.expect(0, "summarize", *arguments).document
        self.assertEqual(document["schema_version"], "profile_summary.v1")
        for figure in document["figures"]:
            self.assertNotEqual(figure["value"] is None, figure["absent"] is None, figure)
            self.assertEqual(figure["value"] is None, figure["of"] is None, figure)
        return {figure["measure"]: figure for figure in document["figures"]}

    def test_input_and_memory_are_measured_or_absent(self):
        path = waiting_job(self.folder / "waits.xplane.pb", 0.4, 900)
        figures = self.figures(path)
        overview = self.expect(0, "table", "overview", path).document
        self.assertAlmostEqual(figures["input_wait_share"]["value"],
                               overview["properties"]["input_wait_share"])
        # of the last step only what the GPU does is known
        self.assertAlmostEqual(figures["input_wait_share"]["value"], 5 * 400 / 5000, delta=0.01)
        memory = self.expect(0, "table", "memory", path).document
        peaks = {row["allocator"]: row["peak_bytes_in_use"] for row in memory["rows"]}
        self.assertEqual(figures["hbm_peak"]["value"], 900 * MIB)
        self.assertEqual(peaks["GPU_0_bfc"], 900 * MIB)
        bare = self.figures(waiting_job(self.folder / "bare.xplane.pb", 0))
        self.assertIn("TraceAnnotation", bare["input_wait_share"]["absent"])
        self.assertIn("memory.prof", bare["hbm_peak"]["absent"])
        self.assertIn("name stack", bare["recompute_share"]["absent"])
        self.assertIn("devices can do", bare["mfu"]["absent"])

    def host_waits(self, name, *hosts):
        """What a capture says of the input, all forms alike: hosts are the µs from step to step, of
        a step's load, and from its begin to the end of its kernel."""
        folder = self.folder / name
        folder.mkdir()
        for rank, (period, load, until) in enumerate(hosts):
            job = Job(host=f"worker-{rank}")
            for number in range(6):
                base = period * number
                job.annotate(number, base, base + period - 10)
                if load:
                    job.call("data_load", base + 5, base + 5 + load)
                job.launch("fusion", base + load + 6, base + load + 10, base + until)
            job.write(folder / f"worker-{rank}.xplane.pb")
        figure = self.figures(folder)["input_wait_share"]
        rows = self.expect(0, "summarize", folder).document["steps"]["rows"]
        pipeline = self.expect(0, "table", "input_pipeline", folder).document
        explained = self.expect(0, "explain", folder).document
        shares = [explained["input_wait_share"], pipeline["properties"]["input_wait_share"],
                  self.expect(0, "table", "overview", folder).document["properties"][
                      "input_wait_share"]]
        waits = [row["input_wait_us"] for row in rows if row["period_us"] is not None]
        shares += [row["input_share"] for row in pipeline["rows"][:-1]]
        shares += [wait / row["period_us"] for wait, row in zip(waits, rows)]
        for share in shares:
            self.assertAlmostEqual(share, figure["value"])
        self.assertEqual(len(waits), 5)
        return figure, explained

    def test_a_step_waits_for_input_as_the_host_does_that_waits_longest(self):
        # One that waits begins late, so that its device is not the slowest of the step.
        figure, explained = self.host_waits("one", (1000, 0, 980), (1000, 400, 980))
        self.assertAlmostEqual(figure["value"], .4)
        self.assertIn("the host that waited longest", figure["of"])
        self.assertEqual(explained["input_wait_between_us"], 400)
        self.assertEqual([part["average_us"] for part in explained["parts"]
                          if part["name"] == "input_wait"], [0])
        for name, hosts, share in (("both", ((1000, 100, 980), (1000, 300, 900)), .3),
                                   ("slowest", ((1000, 300, 980), (1000, 300, 900)), .3),
                                   ("none", ((1000, 300, 980), (1000, 0, 980)), .3)):
            self.assertAlmostEqual(self.host_waits(name, *hosts)[0]["value"], share)
        # Hosts that go their own ways: the step does not wait for longer than it takes.
        self.assertAlmostEqual(
            self.host_waits("apart", (500, 0, 490), (2000, 1800, 1900))[0]["value"], 1)
        said = self.expect(0, "explain", self.folder / "one", "--format", "text").out
        self.assertIn("On the host that waits longest the device waits for input in 400.0 µs of "
                      "them (40.0 %): 400.0 µs between steps, 0.000 µs within.",
                      " ".join(said.split()))

    def test_tokens_come_from_what_is_stated_or_from_the_run(self):
        path = self.profile("tokens", "--kind", "tpu", "--seed", "3")
        steps = self.expect(0, "summarize", path).document["steps"]
        rate = 1 / step_to_step_s(steps) / 2
        for facts, tokens, said in (
                (["tokens_per_step=4096"], 4096, "as stated"),
                (["batch=8", "sequence=512"], 4096, "batch and sequence"),
                (["per_device_batch_size=8", "max_target_length=512"], 8192, "batch of a device"),
                (["tokens_per_step=many"], None, "no number above 0")):
            given = [word for fact in facts for word in ("--meta", fact)]
            figure = self.figures(*given, path)["tokens_per_second_per_device"]
            if tokens is None:
                self.assertIn(said, figure["absent"])
                continue
            self.assertIn(said, figure["of"])
            self.assertIn("from step to step", figure["of"])
            self.assertAlmostEqual(figure["value"], tokens * rate)

    def test_work_is_done_by_the_time_from_step_to_step(self):
        """Half of which the devices of this job wait: what they compute takes 498 us, a step
        1000."""
        path = waiting_job(self.folder / "half.xplane.pb", .5)
        tokens = self.figures("--tokens-per-step", "4096", path)["tokens_per_second_per_device"]
        self.assertAlmostEqual(tokens["value"], 4096e3)
        self.assertLess(self.expect(0, "summarize", path).document["steps"]["steady_median_us"],
                        600)

    def test_what_is_stated_at_taking_in_is_told_wherever_the_profile_is(self):
        path = self.profile("stated", "--kind", "tpu", "--seed", "11")
        stated = ["--tokens-per-step", "4096", "--model-flops-per-step", "3e12"]
        read = self.figures(*stated, path)
        self.expect(0, "ingest", "--project", "s", "--workload", "w", "--run", "stated", *stated,
                    path)
        kept = self.expect(0, "show", "stated").document
        facts = {fact["name"]: (fact["value"], fact["source"])
                 for fact in kept["environment"]["facts"]}
        self.assertEqual(facts["tokens_per_step"], ("4096", "option"))
        self.assertEqual(facts["model_flops_per_step"], ("3e12", "option"))
        shown = {figure["measure"]: figure for figure in kept["figures"]}
        for table in ("roofline", "phases", "hlo_stats"):
            told = self.expect(0, "table", table, "stated").document["properties"]
            for name in ("mfu", "tokens_per_second_per_device"):
                self.assertEqual((told[name], told[name + "_of"]),
                                 (shown[name]["value"], shown[name]["of"]), table)
                self.assertEqual(read[name], shown[name])
        for option in ("--tokens-per-step", "--model-flops-per-step"):
            for number in ("0", "-1", "many"):
                said = self.expect(2, "ingest", "--project", "s", "--workload", "w", option,
                                   number, path).err
                self.assertIn(f"{option}: '{number}' is no number above 0", said)

    def test_programs_beside_a_profile_tell_its_figures(self):
        inside, beside = self.folder / "inside", self.folder / "beside"
        program = holding_program(200)
        for folder in (inside, beside):
            folder.mkdir()
            holding_job(folder / "gpu.xplane.pb", program if folder == inside else None)
        dump = beside / "module_0007.jit_f.sm_9.0_gpu_after_optimizations.hlo.pb"
        dump.write_bytes(program)
        told, also = self.figures(inside), self.figures(beside)
        for name, how in (("mfu", "as programs in files beside the profile tell them"),
                          ("program_memory", "by a file beside the profile")):
            self.assertIsNotNone(told[name]["value"], told[name])
            self.assertEqual(also[name]["value"], told[name]["value"])
            self.assertNotIn("beside", told[name]["of"])
            self.assertIn(how, also[name]["of"])
        self.assertEqual(told["program_memory"]["value"], 600 * MIB)
        self.assertEqual(self.expect(0, "table", "program_memory", beside).document["properties"]
                         ["peak_bytes"], 600 * MIB)
        dump.rename(beside / "module_0007.jit_g.sm_9.0_gpu_after_optimizations.hlo.pb")
        (beside / "module_0007.jit_g.sm_9.0_gpu_after_optimizations.hlo.pb").write_bytes(
            program.replace(b"jit_f", b"jit_g", 1))
        for name in ("mfu", "program_memory"):
            self.assertIsNone(self.figures(beside)[name]["value"])
        self.assertEqual(self.call("table", "program_memory", beside).code, 65)

    def test_the_buffer_that_grew_is_named(self):
        policy = self.folder / "program.policy"
        policy.write_text("policy_version = 1\n[measure program_memory]\nlimit_pct = 5\n"
                          "action = warn\n")
        scope = ["--project", "p", "--workload", "held"]
        for seed in range(7):
            self.expect(0, "ingest", *scope, "--branch", "main", "--commit", f"{seed + 1:040x}",
                        holding_job(self.folder / f"held{seed}.xplane.pb", holding_program(200),
                                    seed))
        for name, program, said in (
                ("grown", holding_program(260), " What grew most there since the newest past run "
                 "is the temporary of jit(f)/net/widen, f32[1000,1000] (+60.0 MiB)."),
                ("other", holding_program(260).replace(b"net/widen", b"new/thing"),
                 " What grew most there since the newest past run is the temporary of "
                 "jit(f)/new/thing, f32[1000,1000] (260.0 MiB now; it was not among the largest "
                 "before).")):
            verdict = self.expect(
                0, "gate", *scope, "--policy", policy, "--branch", name, "--commit", name[0] * 8,
                holding_job(self.folder / f"{name}.xplane.pb", program, 1)).document
            [reason] = [reason["text"] for reason in verdict["reasons"]
                        if reason["code"] == "program_memory_increased"]
            self.assertIn(said, reason)

    def test_mfu_is_never_above_one(self):
        path = self.profile("stated", "--kind", "tpu", "--seed", "11")
        mfu = self.figures("--model-flops-per-step", "3e15", path)["mfu"]
        self.assertIsNone(mfu["value"])
        self.assertIn("above 100 %", mfu["absent"])

    def test_hosts_add_up(self):
        folder = self.profile("hosts", "--kind", "tpu", "--seed", "5", "--hosts", "2")
        whole = self.figures(folder)
        document = self.expect(0, "summarize", folder).document
        flops = sum(op["flops"] * op["steady_count"] / op["count"] for op in document["ops"]
                    if op["flops"] is not None and op["phase"] != "recompute"
                    and not op["asynchronous"] and not op["opcode"].endswith("-start")
                    and op["category"] not in ("while", "call", "conditional"))
        peak = document["environment"]["peaks"][0]["tflops"] * 1e12
        steps = document["steps"]
        self.assertAlmostEqual(whole["mfu"]["value"], flops / steps["steady_spans"]
                               / step_to_step_s(steps) / peak)
        self.assertAlmostEqual(
            self.expect(0, "table", "phases", folder).document["properties"]["mfu"],
            whole["mfu"]["value"])

    def is_said_first(self, verdict):
        """The same words in every format, behind the sentence and before all else."""
        [row] = [row for row in self.expect(0, "list", "verdicts", *SCOPE).document["rows"]
                 if row["status"] == "fail"]
        values = {row["name"]: row for row in verdict["measures"]}
        mfu = values["mfu"]
        words = (f"MFU {100 * mfu['after']:.1f} % (was {100 * mfu['before']:.1f} %, "
                 f"{100 * mfu['delta']:+.1f} pp), tokens per device ")
        for name in ("text", "md", "html", "github", "junit"):
            shown = self.expect(0, "show", row["verdict"], "--format", name).out
            plain = " ".join(html.unescape(shown).replace("\\", "").replace("%25", "%").split())
            self.assertIn(words, plain, name)
            if name == "text":
                self.assertLess(plain.index(words), plain.index(" Why "))
        [profile] = self.expect(0, "list", "profiles", *SCOPE, "--limit", "1").document["rows"]
        shown = self.expect(0, "show", profile["profile"], "--format", "text").out
        self.assertRegex(shown, r"\nPROFILE +[^:]*: MFU [0-9.]+ %, tokens per device [0-9.]+/s")

    def test_they_are_measures_of_the_ledger(self):
        flops = ["--meta", "model_flops_per_step=3e12", "--meta", "tokens_per_step=4096"]
        self.ingest("--branch", "main", *flops,
                    *(self.profile(f"m{seed}", "--kind", "tpu", "--seed", str(seed))
                      for seed in range(1, 8)))
        policy = self.folder / "mfu.policy"
        policy.write_text("policy_version = 1\n[measure mfu]\nlimit_pct = 5\naction = fail\n")

        def gate(code, commit, more, *seeds):
            paths = [self.profile(f"c{seed}", "--kind", "tpu", "--seed", seed) for seed in seeds]
            verdict = self.expect(code, "gate", *SCOPE, "--commit", commit * 40, "--branch",
                                  "topic", "--policy", policy, *more, *paths).document
            [row] = [row for row in verdict["measures"] if row["name"] == "mfu"]
            return verdict, row
        _, row = gate(0, "a", flops, "40", "41")
        self.assertEqual((row["status"], row["unit"]), ("ok", "share"))
        less = ["--meta", "model_flops_per_step=2e12", "--meta", "tokens_per_step=4096"]
        other = self.call("gate", *SCOPE, "--commit", "c" * 40, "--branch", "topic", "--policy",
                          policy, *less, self.profile("c60", "--kind", "tpu", "--seed", "60"))
        self.assertEqual(other.code, 5)  # other work is not faster work
        self.assertRegex(other.out,
                         r"cannot be compared were passed over \(p\d+: model_flops_per_step\)")
        policy.write_text(policy.read_text() + "[provenance]\nmodel_flops_per_step = warn\n")
        verdict, row = gate(1, "b", less, "50", "51")
        self.assertEqual(row["status"], "fail")
        [reason] = [reason["text"] for reason in verdict["reasons"]
                    if reason["code"] == "mfu_decreased"]
        self.assertIn("fell from", reason)
        self.is_said_first(verdict)
        trend = self.expect(0, "trend", *SCOPE, "--branch", "main", "--measure",
                            "tokens_per_second_per_device", "--format", "text").out
        self.assertRegex(trend, r"\d/s")
        self.assertIn("%", self.expect(0, "trend", *SCOPE, "--branch", "main", "--measure", "mfu",
                                       "--format", "text").out)
        [row] = self.expect(0, "list", "profiles", *SCOPE, "--limit", "1").document["rows"]
        kept = self.expect(0, "show", row["profile"], "--format", "json").document
        lines = self.folder / "moved.jsonl"
        self.expect(0, "export", "--output", lines)
        second = self.second("second")
        self.expect(0, "import", lines, environment=second)
        self.expect(0, "verify", environment=second)
        [other] = self.expect(0, "list", "profiles", *SCOPE, "--limit", "1",
                              environment=second).document["rows"]
        moved = self.expect(0, "show", other["profile"], "--format", "json",
                            environment=second).document
        self.assertEqual((other["run"], moved["figures"]), (row["run"], kept["figures"]))


if __name__ == "__main__":
    unittest.main()
