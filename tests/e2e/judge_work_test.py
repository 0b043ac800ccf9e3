"""Other work is not faster work: half the batch, half the sequence, fewer rounds."""

import unittest

from judge_case import SCOPE, JudgeCase

ALIKE = ["--devices", "1"]
KERNELS = ["--kind", "gpu", "--layers", "1", "--steps", "8", *ALIKE]


class OtherWork(JudgeCase):
    """Shapes and operations of ops say when the batch or the sequence is another one."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 7, *ALIKE)

    def candidate(self, name, *options):
        return self.profile(name, "--seed", "300", *ALIKE, *options)

    def test_calls_half_the_batch_incomparable(self):
        verdict = self.gate(5, self.candidate("half-batch", "--batch", "4"))
        self.assertEqual(verdict["status"], "incomparable")
        self.assertEqual(self.codes(verdict), ["work_differs"])
        mismatch = next(m for m in verdict["mismatches"] if m["field"] == "work")
        self.assertIn("bf16[8,1024,", mismatch["baseline"])
        self.assertIn("bf16[4,1024,", mismatch["candidate"])
        self.assertIn("TFLOP a step", mismatch["candidate"])

    def test_calls_a_batch_of_nearly_the_same_size_incomparable(self):
        for batch in (7, 9):
            verdict = self.gate(5, self.candidate(f"batch-{batch}", "--batch", str(batch)))
            self.assertEqual(self.codes(verdict), ["work_differs"])
            self.assertIn(f"bf16[{batch},1024,", verdict["reasons"][0]["text"])
        verdict = self.gate(5, self.candidate("sequence-1040", "--sequence", "1040"))
        self.assertIn("bf16[8,1040,", verdict["reasons"][0]["text"])

    def test_calls_half_and_twice_the_sequence_incomparable(self):
        for name, sequence in (("short", 512), ("long", 2048)):
            verdict = self.gate(5, self.candidate(name, "--sequence", str(sequence)))
            self.assertEqual(verdict["reasons"][0]["code"], "work_differs")
            self.assertIn(f"bf16[8,{sequence},", verdict["reasons"][0]["text"])

    def test_lets_the_policy_say_otherwise(self):
        policy = self.folder / "work.policy"
        policy.write_text("policy_version = 1\n[provenance]\nwork = warn\n", encoding="utf-8")
        verdict = self.gate(0, "--policy", str(policy),
                            self.candidate("half-batch", "--batch", "4"))
        self.assertNotEqual(verdict["status"], "incomparable")
        self.assertIn("work_differs", self.codes(verdict))

    def test_compares_faster_programs_of_the_same_work(self):
        for name, *options in (("dropped", "--drop-op", "norm"),
                               ("renumbered", "--renumber", "9"),
                               ("slower", "--slow-op", "mlp=1.5")):
            result = self.call("gate", *SCOPE, self.candidate(name, *options))
            type(self).verdicts += 1
            self.assertNotIn("work_differs", self.codes(result.document), name)

    def test_counts_flags_of_one_side_as_unknown_when_strict(self):
        path = self.candidate("flags", "--renumber", "3")
        flags = ["--meta", "xla_flags=--xla_tpu_x=1"]
        plain = self.gate(0, *flags, path)
        self.assertIn("xla_flags_unknown", self.codes(plain))
        strict = self.gate(5, "--strict-provenance", *flags, path)
        self.assertIn("xla_flags_unknown", self.codes(strict))


class OtherWorkOfKernels(JudgeCase):
    """Kernels tell no shapes: what was given beside the profile says what a step works on."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.yaml = cls.folder / "small.yaml"
        cls.yaml.write_text("model_name: net  # ours\ntrainer:\n  train_batch_size: 16\n"
                            "max_target_length: 1024\n", encoding="utf-8")
        cls.known = ("--config-file", str(cls.yaml))
        case = cls()
        for run in range(1, 8):
            path = cls.profile(f"gpu-{run}", "--seed", str(run), *KERNELS)
            for workload, facts in (("told", cls.known), ("untold", ())):
                case.expect(0, "ingest", "--project", "p", "--workload", workload, "--branch",
                            "main", "--commit", f"{run:040x}", "--run", f"m{run}", *facts, path)

    def judged(self, code, workload, name, batch, *options):
        paths = [self.profile(f"{name}-{seed}", "--seed", str(seed), *KERNELS, "--batch",
                              str(batch)) for seed in (301, 302, 303)]
        return self.expect(code, "gate", "--project", "p", "--workload", workload, *options,
                           *paths).document

    def test_says_that_it_may_be_other_work_where_nobody_told(self):
        slower = self.judged(1, "untold", "twice", 16)
        self.assertEqual(self.codes(slower)[0], "step_median_regressed")
        self.assertIn("does more work (a larger batch", self.text(slower, "work_unknown"))
        faster = self.judged(0, "untold", "half", 4)
        self.assertEqual(self.codes(faster)[0], "step_median_improved")
        self.assertIn("does less work (a smaller batch", self.text(faster, "work_unknown"))

    def test_takes_what_one_side_tells_for_unknown(self):
        verdict = self.judged(1, "told", "twice", 16)
        self.assertIn("batch_unknown", self.codes(verdict))
        self.assertIn("work_unknown", self.codes(verdict))
        strict = self.judged(5, "told", "twice", 16, "--strict-provenance")
        self.assertEqual(strict["status"], "incomparable")
        self.assertIn("batch_unknown", self.codes(strict))

    def test_compares_nothing_that_was_told_to_differ(self):
        other = self.folder / "other.json"
        other.write_text('{"train_batch_size": 32, "seq_len": 1024, "model": {"type": "net"}}',
                         encoding="utf-8")
        for batch, facts in ((19, ("--config-file", str(other))),
                             (21, ("--meta", "global_batch_size=32"))):
            verdict = self.judged(5, "told", f"other-{batch}", batch, *facts)
            self.assertEqual(verdict["reasons"][0]["code"], "batch_differs", facts)
            self.assertEqual(verdict["reasons"][0]["text"],
                             "batch is 16 in the baseline and 32 in the candidate.")

    def test_is_silent_where_both_sides_told_the_same(self):
        verdict = self.judged(1, "told", "slow", 20, *self.known)
        self.assertNotIn("work_unknown", self.codes(verdict))

    def text(self, verdict, code):
        return next(r["text"] for r in verdict["reasons"] if r["code"] == code)


if __name__ == "__main__":
    unittest.main()
