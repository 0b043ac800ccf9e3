"""Other work is not faster work: half the batch, half the sequence, fewer rounds."""

import unittest

from judge_case import SCOPE, JudgeCase

ALIKE = ["--devices", "1"]


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
        self.assertEqual(verdict["reasons"][0]["code"], "work_differs")
        mismatch = next(m for m in verdict["mismatches"] if m["field"] == "work")
        self.assertIn("bf16[8,1024,", mismatch["baseline"])
        self.assertIn("bf16[4,1024,", mismatch["candidate"])
        self.assertIn("TFLOP a step", mismatch["candidate"])

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


if __name__ == "__main__":
    unittest.main()
