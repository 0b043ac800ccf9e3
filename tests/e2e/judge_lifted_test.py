"""What a verdict says would lift a fail lifts it: no change is stuck."""

import unittest

from judge_case import SCOPE, JudgeCase

ALIKE = ["--devices", "1", "--layers", "1", "--steps", "10"]
SLOW = ["--slow-op", ".=1.06"]
PAIRS = 4


class Lifted(JudgeCase):
    """Six runs of main, the last of them of one commit, and a change that fails against them."""

    OLD = "0d" * 20

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 2, *ALIKE)
        for seed in range(3, 3 + PAIRS):
            cls().ingest("--branch", "main", "--commit", cls.OLD, "--run", f"old-{seed}",
                         cls().candidate(seed))

    def candidate(self, seed, *options):
        return self.profile(f"run-{seed}", "--seed", str(seed), *ALIKE, *options)

    def judged(self, commit, *arguments):
        """The verdict, whatever it is."""
        verdict = self.call("gate", *SCOPE, "--branch", "topic", "--commit", commit,
                            *arguments).document
        type(self).verdicts += 1
        return verdict

    def paired(self, commit, first, *partners):
        words = [word for partner in partners for word in ("--baseline", partner)]
        return self.judged(commit, "--paired", *words,
                           *[self.candidate(first + turn, "--run-sd", "0")
                             for turn in range(PAIRS)])

    def stands(self, verdict, *says):
        self.assertEqual((verdict["status"], self.codes(verdict)[0]),
                         ("fail", "earlier_fail_stands"))
        for part in says:
            self.assertIn(part, verdict["reasons"][0]["text"])

    def lifted(self, verdict):
        self.assertIn(verdict["status"], ("pass", "inconclusive"), verdict["reasons"])
        self.assertNotIn("earlier_fail_stands", self.codes(verdict))

    def command(self):
        """That the newest verdict offers; "" where it offers none."""
        text = self.expect(0, "show", f"v{self.verdicts}", "--format", "text").out
        words = " ".join(text.split())
        return words.partition("`stepledger interleave ")[2].partition("`")[0]

    def test_partners_that_nobody_named_lift_nothing_until_they_are(self):
        commit = "b1" * 20
        self.assertEqual(self.judged(commit, self.candidate(100, *SLOW))["status"], "fail")
        self.assertIn("--baseline-commit BASELINE_COMMIT -- ", self.command())
        loose = [self.candidate(200 + turn, "--run-sd", "0") for turn in range(PAIRS)]
        verdict = self.paired(commit, 300, *loose)
        self.stands(verdict, "Against branch main it failed (v", "What lifts it: all its runs",
                    "`interleave --baseline-commit`", "`stepledger amend` of those runs")
        self.assertEqual(self.command(), "", "the sentence says what lifts it")
        # Named pairs are judged without them, and lift it.
        partners = []
        for turn in range(PAIRS):
            partners.append(f"beside-{turn}")
            self.ingest("--branch", "main", "--commit", self.OLD, "--run", partners[-1],
                        self.candidate(220 + turn, "--run-sd", "0"))
        named = self.paired(commit, 320, *partners)
        self.assertEqual(named["candidate"]["run_count"], PAIRS)
        self.lifted(named)

    def test_naming_the_partners_lifts_it(self):
        commit = "b2" * 20
        self.assertEqual(self.judged(commit, self.candidate(101, *SLOW))["status"], "fail")
        verdict = self.paired(commit, 340, *[self.candidate(240 + turn, "--run-sd", "0")
                                             for turn in range(PAIRS)])
        self.stands(verdict)
        ids = verdict["baseline"]["profile_ids"]
        for profile in ids:
            self.expect(0, "amend", profile, "--branch", "main", "--commit", self.OLD, "--reason",
                        "what ran beside it")
        words = [word for profile in ids for word in ("--baseline", profile)]
        self.lifted(self.judged(commit, "--paired", *words, *verdict["candidate"]["profile_ids"]))

    def test_runs_against_its_merge_base_lift_a_fail_against_that(self):
        commit = "b3" * 20
        at_base = ["--merge-base", self.OLD]
        slow = self.candidate(102, "--slow-op", ".=1.04")
        self.assertEqual(self.judged(commit, *at_base, slow)["status"], "fail")
        for seed in range(400, 409):
            self.ingest("--branch", "topic", "--commit", commit, "--run", f"more-{seed}",
                        self.candidate(seed, "--run-sd", "0"))
        verdict = self.judged(commit, "more-400")
        self.stands(verdict, f"Against commit {self.OLD} it failed", "`gate --merge-base` with it")
        self.assertEqual(self.command(), "")
        self.lifted(self.judged(commit, *at_base, "more-401"))
        self.lifted(self.judged(commit, "more-400"))


if __name__ == "__main__":
    unittest.main()
