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


class ChosenPairs(JudgeCase):
    """Eight pairs of a commit in the ledger, each on a machine of its own speed."""

    LEVELS = [1.0, 1.1, 1.2, 1.05, 1.15, 1.25, 1.3, 1.02]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 8, *SMALL)

    def take_in(self, commit, seed, slower):
        """The ids of both sides, in the order of the pairs."""
        sides = []
        for side, name, factors in (("base", "ba5e" * 10, [1.0] * 8), ("topic", commit, slower)):
            for place, (level, factor) in enumerate(zip(self.LEVELS, factors)):
                run = f"{commit[:2]}-{side}-{place}"
                self.ingest("--branch", side, "--commit", name, "--run", run, self.profile(
                    run, "--seed", str(seed + place + 50 * (side == "base")), *SMALL,
                    "--slow-op", f".={level * factor}"))
            rows = self.expect(0, "list", "profiles", "--commit", name, *SCOPE).document["rows"]
            sides.append([row["profile"] for row in rows][:8])
        return [sorted(side, key=lambda profile: int(profile[1:])) for side in sides]

    def judged(self, code, sides, places, partners=None):
        words = ["--paired"]
        for place in partners or places:
            words += ["--baseline", sides[0][place]]
        return self.gate(code, *words, *[sides[1][place] for place in places])

    def test_a_fail_is_not_undone_by_choosing_among_its_pairs(self):
        """No commit is said: the ledger knows it."""
        commit = "a1" * 20
        sides = self.take_in(commit, 1950, [1.05] * 6 + [1.0] * 2)
        first = self.judged(1, sides, range(8))
        red = f"v{self.verdicts}"
        self.assertEqual((first["candidate"]["attempts"], first["candidate"]["earlier_failed"]),
                         (1, []))
        for places, partners in (((6, 7), None), ((5, 6, 7), None), ((7, 6), None)):
            chosen = self.judged(1, sides, places, partners)
            self.assertEqual((chosen["candidate"]["run_count"], chosen["candidate"]["attempts"]),
                             (8, 1))
            self.assertIn("all comparable pairs of commit a1a1a1a1a1a1, by which the ledger knows",
                          chosen["candidate"]["why"])
        crossed = self.judged(1, sides, range(8), range(7, -1, -1))
        self.assertEqual(self.codes(crossed)[:2], ["earlier_fail_stands", "step_median_uncertain"])
        says = crossed["reasons"][0]["text"]
        self.assertTrue(says.startswith(f"{red} failed, of these very pairs or more"), says)
        self.assertIn(f"What it failed by: {first['reasons'][0]['text']}", says)
        self.assertEqual(crossed["candidate"]["attempts"], 1)
        text = self.expect(0, "show", f"v{self.verdicts}", "--format", "text").out
        self.assertTrue(text.startswith(f"FAIL  attempt 1, {red} failed and stands: "), text)
        others = self.judged(1, sides, (5, 6, 7), (0, 1, 2))
        self.assertIn("cannot be judged together with these", others["reasons"][0]["text"])
        alone = self.gate(1, sides[1][7])
        self.assertIn("(fail of pairs)", str(alone["reasons"]))
        mixed = self.gate(0, sides[1][6], "--baseline", sides[0][6], "--policy", self.lenient())
        self.assertIn("candidates", mixed["candidate"]["why"])

    def lenient(self):
        policy = self.folder / "lenient.policy"
        policy.write_text("policy_version = 1\non_earlier_fail = warn\nmin_effect_pct = 50\n")
        return str(policy)

    def test_two_pairs_of_eight_do_not_pass(self):
        commit = "a2" * 20
        sides = self.take_in(commit, 2050, [1.0] * 8)
        chosen = self.judged(0, sides, (2, 5))
        self.assertEqual((chosen["status"], self.codes(chosen)[0]),
                         ("inconclusive", "runs_left_out"))
        left = [sides[1][place] for place in (0, 1, 3, 4, 6, 7)]
        self.assertTrue(chosen["reasons"][0]["text"].startswith(
            f"{', '.join(left[:5])} and 1 more of this change take no part here"))
        whole = self.judged(0, sides, range(8))
        self.assertEqual((whole["status"], whole["candidate"]["attempts"]), ("pass", 2))
        self.assertNotIn("runs_left_out", self.codes(whole))
        again = self.judged(0, sides, (2, 5))
        self.assertEqual((again["status"], again["candidate"]["run_count"]), ("pass", 8))

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
