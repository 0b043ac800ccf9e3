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
        apart = self.turns(0, commit, 670, baseline=620)  # what is refuted stands nowhere
        self.assertEqual(apart["candidate"]["run_count"], 20, "all but those that share a run")
        self.assertNotIn("earlier_fail_stands", self.codes(apart))


class ChosenPairs(JudgeCase):
    """Six pairs of a commit in the ledger, each on a machine of its own speed."""

    LEVELS = [1.0, 1.1, 1.2, 1.05, 1.25, 1.3]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 8, *SMALL)
        cls.partners = cls().take_in("base", "ba5e" * 10, 1900, [1.0] * 6)

    def take_in(self, branch, commit, seed, slower):
        """The ids of a commit's runs, in the order of the pairs."""
        for place, (level, factor) in enumerate(zip(self.LEVELS, slower)):
            run = f"{commit[:4]}-{place}"
            self.ingest("--branch", branch, "--commit", commit, "--run", run, self.profile(
                run, "--seed", str(seed + place), *SMALL, "--slow-op", f".={level * factor}"))
        rows = self.expect(0, "list", "profiles", "--commit", commit, *SCOPE).document["rows"]
        return sorted((row["profile"] for row in rows), key=lambda profile: int(profile[1:]))

    def judged(self, code, runs, places, partners=None):
        words = ["--paired"]
        for place in partners or places:
            words += ["--baseline", self.partners[place]]
        return self.gate(code, *words, *[runs[place] for place in places])

    def test_a_fail_is_not_undone_by_choosing_among_its_pairs(self):
        """No commit is said: the ledger knows it."""
        runs = self.take_in("topic", "a1" * 20, 1950, [1.05] * 5 + [1.0])
        first = self.judged(1, runs, range(6))
        red = f"v{self.verdicts}"
        self.assertEqual((first["candidate"]["attempts"], first["candidate"]["earlier_failed"]),
                         (1, []))
        chosen = self.judged(1, runs, (5, 3))
        self.assertEqual((chosen["candidate"]["run_count"], chosen["candidate"]["attempts"]),
                         (6, 1))
        self.assertIn("all comparable pairs of commit a1a1a1a1a1a1, by which the ledger knows",
                      chosen["candidate"]["why"])
        crossed = self.judged(1, runs, range(6), range(5, -1, -1))
        self.assertEqual(self.codes(crossed)[:2], ["earlier_fail_stands", "step_median_uncertain"])
        says = crossed["reasons"][0]["text"]
        self.assertTrue(says.startswith(f"{red} failed, of these very pairs or more"), says)
        self.assertIn(f"What it failed by: {first['reasons'][0]['text']}", says)
        self.assertEqual(crossed["candidate"]["attempts"], 1)
        text = self.expect(0, "show", f"v{self.verdicts}", "--format", "text").out
        self.assertTrue(text.startswith(f"FAIL  attempt 1, {red} failed and stands: "), text)
        others = self.judged(1, runs, (4, 5), (0, 1))
        self.assertIn("cannot be judged together with these", others["reasons"][0]["text"])
        self.assertIn("(fail of pairs", str(self.gate(1, runs[5])["reasons"]))

    def test_two_pairs_of_six_do_not_pass(self):
        runs = self.take_in("topic", "a2" * 20, 2050, [1.0] * 6)
        chosen = self.judged(0, runs, (2, 5))
        self.assertEqual((chosen["status"], self.codes(chosen)[0]),
                         ("inconclusive", "runs_left_out"))
        left = ", ".join(runs[place] for place in (0, 1, 3, 4))
        self.assertTrue(chosen["reasons"][0]["text"].startswith(
            f"{left} of this change take no part here"), chosen["reasons"][0]["text"])
        whole = self.judged(0, runs, range(6))
        self.assertEqual(whole["candidate"]["attempts"], 2)
        self.assertNotIn("runs_left_out", self.codes(whole))
        again = self.judged(0, runs, (2, 5))
        self.assertEqual((again["status"], again["candidate"]["run_count"]), (whole["status"], 6))

    def test_says_what_does_not_count_of_several_commits(self):
        for seed, commit in ((70, "a3" * 20), (71, "a4" * 20)):
            self.ingest("--branch", "topic", "--commit", commit, "--run", f"of-{seed}",
                        self.profile(f"of-{seed}", "--seed", str(seed), *SMALL))
        verdict = self.gate(0, "of-70", "of-71")
        self.assertIn("of several commits, so that no other runs of these count",
                      verdict["candidate"]["why"])
        self.assertIsNone(verdict["candidate"]["attempts"])


if __name__ == "__main__":
    unittest.main()
