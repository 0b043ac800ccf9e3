"""Runs in turns that are repeated: all pairs of a commit are judged together."""

import unittest

from judge_case import SCOPE, JudgeCase

PAIRS = 4
SMALL = ["--devices", "1", "--layers", "1", "--steps", "10", "--run-sd", "0"]


class Turns(JudgeCase):
    """A past of eight runs, and turns against it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 8, *SMALL)

    def turns(self, code, *pairs, **more):
        return self.gate(code, *self.pairs(*pairs, **more))

    def pairs(self, commit, first, slow=None, baseline=None):
        """Options for four more pairs; without a baseline each has runs of its own."""
        arguments = ["--branch", "topic", "--commit", commit, "--paired"]
        for turn in range(first, first + PAIRS):
            old = turn if baseline is None else baseline + turn - first
            arguments += ["--baseline", self.profile(f"old-{old}", "--seed", str(old), *SMALL)]
        for turn in range(first, first + PAIRS):
            arguments.append(self.profile(f"new-{turn}", "--seed", str(400 + turn), *SMALL,
                                          *(["--slow-op", f".={slow}"] if slow else [])))
        return arguments

    def test_turns_that_are_repeated_are_no_way_past_a_fail(self):
        """All pairs of the commit are judged together, so that a real loss keeps failing."""
        commit = "96" * 20
        first = self.turns(1, commit, 500, 1.05)
        red = f"v{self.verdicts}"
        self.assertEqual((first["candidate"]["attempts"], first["candidate"]["run_count"]), (1, 4))
        again = self.turns(1, commit, 510, 1.05)
        self.assertEqual((again["candidate"]["attempts"], again["candidate"]["run_count"],
                          again["baseline"]["run_count"]), (2, 8, 8))
        self.assertEqual(again["candidate"]["earlier_failed"], [red])
        self.assertRegex(again["reasons"][0]["text"], "of 8 pairs")
        self.assertIn(f"Attempt 2 of this change, after {red} (fail of pairs): 8 pairs of it",
                      str(again["reasons"]))
        self.assertIn("all comparable pairs of commit 969696", again["candidate"]["why"])
        self.assertIn("earlier pairs of the commit", again["baseline"]["why"])
        shown = self.expect(0, "show", f"v{self.verdicts}", "--format", "text").out
        self.assertTrue(shown.startswith(f"FAIL  attempt 2, {red} failed: step time "), shown)
        same = self.turns(1, commit, 510, 1.05)
        self.assertEqual(same["candidate"]["attempts"], 2, "the same pairs are no further attempt")
        alike = self.turns(1, commit, 520)  # the first eight still tell
        self.assertEqual((alike["candidate"]["attempts"], alike["candidate"]["run_count"]), (3, 12))
        next_one = alike["reasons"][0]
        self.assertIn(next_one["code"], ("step_median_regressed", "earlier_fail_stands"))

    def test_turns_refute_a_fail_together_or_not_at_all(self):
        commit = "97" * 20
        self.turns(1, commit, 600, 1.022)
        red = f"v{self.verdicts}"
        shared = self.turns(1, commit, 610, baseline=600)
        self.assertEqual((shared["candidate"]["run_count"], self.codes(shared)[0]),
                         (4, "earlier_fail_stands"))
        self.assertIn(f"{red} failed, of pairs of this change that cannot be judged together",
                      shared["reasons"][0]["text"])
        commit = "98" * 20
        self.turns(1, commit, 620, 1.022)
        for first in range(630, 670, 10):
            verdict = self.call("gate", *SCOPE, *self.pairs(commit, first)).document
            type(self).verdicts += 1
        self.assertEqual((verdict["status"], verdict["candidate"]["run_count"]), ("pass", 20))
        self.assertEqual(verdict["candidate"]["attempts"], 5)


if __name__ == "__main__":
    unittest.main()
