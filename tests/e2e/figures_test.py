"""Figures of a step: computed once, the same in the document, the ledger, tables and the gate.

What: MFU, throughput, memory, recomputation, input, of profiles whose every event is said or which
are made as a training run; that they can be gated and followed, go with an export, and say why they
are not known. What it does not do: rates of ops (op_tables_test.py).
"""

import html
import sys
import unittest

from cli_case import ROOT, LedgerCase

sys.path.insert(0, str(ROOT / "tests" / "support"))

from gpu_job import Job  # noqa: E402
from xplane_writer import stat_int, stat_text  # noqa: E402

MIB = 1 << 20
SCOPE = ["--project", "p", "--workload", "w"]


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
        self.assertAlmostEqual(figures["input_wait_share"]["value"], 5 * 400 / 5596, delta=0.01)
        memory = self.expect(0, "table", "memory", path).document
        peaks = {row["allocator"]: row["peak_bytes_in_use"] for row in memory["rows"]}
        self.assertEqual(figures["hbm_peak"]["value"], 900 * MIB)
        self.assertEqual(peaks["GPU_0_bfc"], 900 * MIB)
        bare = self.figures(waiting_job(self.folder / "bare.xplane.pb", 0))
        self.assertIn("TraceAnnotation", bare["input_wait_share"]["absent"])
        self.assertIn("memory.prof", bare["hbm_peak"]["absent"])
        self.assertIn("name stack", bare["recompute_share"]["absent"])
        self.assertIn("devices can do", bare["mfu"]["absent"])

    def test_tokens_come_from_what_is_stated_or_from_the_run(self):
        path = self.profile("tokens", "--kind", "tpu", "--seed", "3")
        steps = self.expect(0, "summarize", path).document["steps"]
        rate = 1e6 / steps["steady_median_us"] / 2
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
            self.assertAlmostEqual(figure["value"], tokens * rate)

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
                               / (steps["steady_median_us"] / 1e6) / peak)
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
        for seed in range(1, 8):
            self.ingest("--branch", "main", *flops,
                        self.profile(f"m{seed}", "--kind", "tpu", "--seed", str(seed)))
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
