"""A change that is judged again: the candidate is what the ledger knows of its commit."""

import unittest

from judge_case import SCOPE, JudgeCase

COMMIT = "a" * 40
ALIKE = ["--devices", "1"]


class AttemptCase(JudgeCase):
    """Eight runs of main, and attempts against them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 8, *ALIKE)

    def candidate(self, name, seed, *options):
        return self.profile(name, "--seed", str(seed), *ALIKE, *options)

    def attempt(self, path, *options, branch="topic", commit=COMMIT, code=None):
        """The verdict on one more run; the exit code follows from its status."""
        arguments = ["gate", *SCOPE, "--branch", branch, "--commit", commit, *options, path]
        result = self.call(*arguments)
        type(self).verdicts += 1
        verdict = result.document
        self.assertEqual(result.code, 1 if verdict["status"] == "fail" else 0)
        return verdict


class Attempts(AttemptCase):
    """All runs of a commit count, whoever took them in and however often they were judged."""

    def test_pools_all_runs_of_the_commit(self):
        slow = ["--slow-op", ".=1.08"]
        first = self.attempt(self.candidate("slow", 100, *slow))
        self.assertEqual(first["candidate"]["attempts"], 1)
        self.assertEqual(first["candidate"]["run_count"], 1)
        self.assertEqual(first["candidate"]["why"], "the candidates that were named")
        later = self.attempt(self.candidate("fast", 101))
        self.assertEqual(later["candidate"]["attempts"], 2)
        self.assertEqual(later["candidate"]["run_count"], 2)
        self.assertEqual(later["candidate"]["profile_ids"][0],
                         first["candidate"]["profile_ids"][0])
        self.assertIn(COMMIT[:12], later["candidate"]["why"])
        self.assertIn("attempts_pooled", self.codes(later))
        self.assertEqual(later["status"], "fail", "a later green does not hide an earlier red")
        again = self.attempt(self.candidate("fast", 101))
        self.assertEqual(again["candidate"]["attempts"], 2, "the same runs are no further attempt")

    def test_runs_in_turns_stay_pairs_and_decide(self):
        """A machine that was slow for a while: turns acquit the change, and a plain gate of its
        commit afterwards neither tears the pairs nor forgets them."""
        commit, slow = "95" * 20, self.candidate("slow-hour", 200, "--slow-op", ".=1.12")
        self.assertEqual(self.attempt(slow, commit=commit)["status"], "fail")
        paths = [self.candidate(f"turn-a{turn}", 210 + turn, "--run-sd", "0") for turn in range(6)]
        baselines = [word for path in paths for word in ("--baseline", path)]
        self.ingest("--branch", "main", "--commit", "94" * 20, *paths)
        candidates = [self.candidate(f"turn-b{turn}", 220 + turn, "--run-sd", "0")
                      for turn in range(6)]
        turns = ["--branch", "topic", "--commit", commit, "--paired", *baselines, *candidates]
        red = f"v{self.verdicts}"
        green = self.gate(0, *turns)
        acquitted = f"v{self.verdicts}"
        self.assertEqual((green["status"], green["candidate"]["earlier_failed"]), ("pass", [red]))
        self.assertIn(f"{red} failed, of runs of this change that took no turns",
                      str(green["reasons"]))
        shown = self.expect(0, "show", acquitted, "--format", "text").out
        self.assertTrue(shown.startswith(f"PASS  {red} failed before: step time "), shown)
        again = self.attempt(slow, commit=commit)
        self.assertEqual((again["status"], self.codes(again)[0]), ("warn", "pairs_contradict"))
        self.assertTrue(again["reasons"][0]["text"].startswith(f"{acquitted} passed, "))
        self.assertEqual(again["candidate"]["run_count"], 1)
        self.assertIn("6 profiles that took turns with a baseline stand apart",
                      again["candidate"]["why"])
        self.assertIn(f"{acquitted} (pass of pairs)",
                      " ".join(reason["text"] for reason in again["reasons"]))
        by_name = self.gate(0, "--commit", commit, commit)  # as all that the ledger has of it
        self.assertEqual(by_name["candidate"]["run_count"], 1)
        one = self.gate(0, "--branch", "topic", candidates[0])  # asked for by itself
        self.assertIn("`gate --paired` judges each beside its partner", one["candidate"]["why"])

    def test_a_fail_stands_until_all_runs_together_refute_it(self):
        """Whoever retries a red until it is green gets the red again, and is told why."""
        commit = "e" * 40
        self.assertEqual(self.attempt(self.candidate("red", 140, "--slow-op", ".=1.05"),
                                      commit=commit)["status"], "fail")
        red = f"v{self.verdicts}"
        retry = self.attempt(self.candidate("retry", 141), commit=commit)
        self.assertEqual((retry["status"], retry["candidate"]["earlier_failed"]), ("fail", [red]))
        self.assertEqual(self.codes(retry)[:2], ["earlier_fail_stands", "step_median_uncertain"])
        text = self.expect(0, "show", f"v{self.verdicts}", "--format", "text").out.splitlines()
        self.assertRegex(text[0], f"^FAIL  attempt 2, {red} failed and stands: step time ")
        self.assertIn("stepledger interleave --project p --workload w --branch topic --commit "
                      + commit, " ".join(" ".join(text).split()))
        why = self.expect(0, "query", f"v{self.verdicts}", "why", "did", "it", "fail").document
        self.assertEqual((why["query_type"], why["status"]), ("verdict", "fail"))
        self.assertTrue(why["command"].startswith("stepledger interleave --project p"))
        newest = retry["candidate"]["profile_ids"][-1]
        self.assertEqual(self.expect(0, "query", newest, "is it slower than main").document, why)
        changed = self.expect(0, "query", f"v{type(self).verdicts}", "which op got slower").document
        self.assertEqual((changed["query_type"], changed["verdict"], changed["answer"]),
                         ("what_changed", why["verdict"], why["answer"]))
        again = [self.candidate(f"again-{i}", 150 + i) for i in range(8)]
        self.ingest("--branch", "topic", "--commit", commit, *again[:-1])
        shown = self.attempt(again[-1], commit=commit)
        self.assertEqual(shown["candidate"]["attempts"], 3)
        self.assertLess(shown["statistics"]["ci_high_pct"], 2)
        self.assertEqual(shown["status"], "pass")

    def test_a_fail_that_the_policy_made_does_not_stand(self):
        policy = self.folder / "undecided.policy"
        policy.write_text("policy_version = 1\non_inconclusive = fail\n"
                          "min_past_runs = 20\n")
        wide = self.candidate("wide", 160)
        held = self.attempt(wide, "--policy", str(policy), commit="f" * 40)
        self.assertEqual(self.codes(held)[0], "inconclusive_by_policy")
        later = self.attempt(self.candidate("wide-2", 161), commit="f" * 40)
        self.assertEqual(later["candidate"]["earlier_failed"], [])
        self.assertIn(f"v{self.verdicts - 1} (fail by policy)", str(later["reasons"]))

    def test_a_fail_stands_on_every_branch(self):
        """A branch and its merge queue judge one commit: another name does not make it good."""
        commit = "b" * 40
        self.assertEqual(self.attempt(self.candidate("pr", 190, "--slow-op", ".=1.05"),
                                      branch="pr", commit=commit)["status"], "fail")
        red = f"v{self.verdicts}"
        for number, branch in enumerate(["queue", None]):
            path = self.candidate(f"queue-{number}", 191 + number)
            named = ["--branch", branch] if branch is not None else []
            result = self.call("gate", *SCOPE, *named, "--commit", commit, path)
            type(self).verdicts += 1
            side = result.document["candidate"]
            self.assertEqual((result.code, side["attempts"], side["run_count"]),
                             (1, number + 2, number + 2))
            self.assertIn(red, side["earlier_failed"])
            self.assertIn("earlier_fail_stands", self.codes(result.document))
            self.assertEqual(result.document["id"], f"v{self.verdicts}")
            listed = self.expect(0, "list", "verdicts", "--branch", "pr").document["rows"]
            self.assertEqual((listed[0]["verdict"], listed[0]["branch"]),
                             (f"v{self.verdicts}", "pr, queue"))

    def test_pools_runs_of_every_branch_but_the_baselines(self):
        self.ingest("--branch", "other", "--commit", "9" * 40, self.candidate("other", 110))
        mine = self.attempt(self.candidate("mine", 111), commit="9" * 40)
        self.assertEqual(mine["candidate"]["run_count"], 2)
        self.ingest("--branch", "main", "--commit", "c" * 40, self.candidate("landed", 112))
        on_main = self.attempt(self.candidate("again", 113), branch="main", commit="c" * 40)
        self.assertEqual(on_main["candidate"]["run_count"], 1)
        self.assertIsNone(on_main["candidate"]["attempts"])

    def test_leaves_out_what_cannot_be_compared(self):
        self.ingest("--branch", "topic", "--commit", "d" * 40,
                    self.profile("three", "--seed", "120", "--devices", "3"))
        self.ingest("--branch", "topic", "--commit", "d" * 40, "--meta", "git_dirty=yes",
                    self.candidate("dirty", 121))
        verdict = self.attempt(self.candidate("clean", 122), commit="d" * 40)
        self.assertEqual(verdict["candidate"]["run_count"], 1)

    def test_recorded_runs_have_the_commit_that_the_ledger_knows(self):
        """Asked for by name and without a commit, some of its runs do not pass for it."""
        commit = "7" * 40
        for place, branch in enumerate(["topic", "topic", "topic", "slow"]):
            self.ingest("--branch", branch, "--commit", commit if branch == "topic" else "6" * 40,
                        "--run", f"red-{place}",
                        self.candidate(f"red-{place}", 240 + place, "--slow-op", ".=1.06"))
        first = self.gate(1, "red-0")
        self.assertEqual((first["candidate"]["run_count"], first["candidate"]["attempts"]), (3, 1))
        self.assertIn("all comparable runs of commit 777777777777, by which the ledger knows",
                      first["candidate"]["why"])
        red = f"v{self.verdicts}"
        easier = self.gate(1, "red-1", "--baseline", "red-3")
        self.assertEqual((easier["candidate"]["run_count"], self.codes(easier)[0]),
                         (3, "earlier_fail_stands"))
        self.assertIn(f"Against branch main it failed ({red})", easier["reasons"][0]["text"])
        of_main = self.gate(1, "--branch", "main", "red-2", "--baseline", "red-3")
        self.assertEqual(of_main["candidate"]["run_count"], 3, "a failed commit stays pooled")

    def test_jobs_of_a_matrix_pool_what_the_ledger_knows_of_their_commit(self):
        """Each section is judged with all runs of its commit, whichever job measured them."""
        left, right = "1" * 40, "2" * 40
        self.ingest("--branch", "topic", "--commit", left, "--run", "job-1",
                    self.candidate("job-1", 180))
        matrix = self.folder / "matrix.conf"
        matrix.write_text("".join(
            f"[{name}]\nworkload = w\nbranch = topic\ncommit = {commit}\nrun = {name}\n"
            f"candidate = {self.candidate(name, seed)}\n"
            for name, commit, seed in (("job-2", left, 181), ("alone", right, 182))))
        result = self.call("gate", "--project", "p", "--matrix", matrix)
        type(self).verdicts += 2
        pooled, alone = [row["verdict"]["candidate"] for row in result.document["verdicts"]]
        self.assertEqual((pooled["run_ids"], pooled["attempts"]), (["job-1", "job-2"], 1))
        self.assertEqual((alone["run_ids"], alone["attempts"]), (["alone"], 1))

    def test_without_a_commit_the_operands_are_the_candidate(self):
        for seed in (130, 131):
            result = self.call("gate", *SCOPE, "--branch", "topic",
                                      self.candidate(f"nobody-{seed}", seed))
            type(self).verdicts += 1
            self.assertEqual(result.document["candidate"]["run_count"], 1)
            self.assertIsNone(result.document["candidate"]["attempts"])


class OtherBaseline(AttemptCase):
    """Nothing but what it failed against lifts a fail, and no commit is its own baseline."""

    def slow(self, name, seed):
        return self.candidate(name, seed, "--slow-op", ".=1.06")

    def test_runs_of_its_own_commit_are_left_out_of_the_past(self):
        commit = "a2" * 20
        self.ingest("--branch", "main", "--commit", commit,
                    *(self.candidate(f"o{seed}", seed) for seed in (310, 311)))
        landed = self.attempt(self.candidate("fresh", 312), branch="topic", commit=commit)
        self.assertIn("; 2 profiles of the candidate's own commit were left out",
                      landed["baseline"]["why"])
        result = self.call("gate", *SCOPE, "--branch", "topic", "--commit", commit, "--baseline",
                           landed["candidate"]["profile_ids"][0], self.candidate("next", 313))
        type(self).verdicts += 1
        self.assertEqual((result.document["status"], self.codes(result.document)[0]),
                         ("incomparable", "same_commit"))
        self.assertIn(f"Both sides are commit {commit}", str(result.document["reasons"]))

    def test_another_baseline_does_not_lift_a_fail(self):
        commit, old = "a3" * 20, "a4" * 20
        self.ingest("--branch", "old", "--commit", old,
                    *(self.slow(f"old-{seed}", seed) for seed in range(320, 328)))
        red = self.attempt(self.slow("red", 330), commit=commit)
        self.assertEqual(red["status"], "fail")
        name = f"v{self.verdicts}"
        loose = [word for seed in (340, 341, 342)
                 for word in ("--baseline", self.slow(f"loose-{seed}", seed))]
        pairs = [word for seed in range(343, 349)
                 for word in ("--baseline", self.slow(f"pair-a{seed}", seed))]
        beside = [self.slow(f"pair-b{seed}", seed) for seed in range(353, 358)]
        ways = [["--baseline-branch", "old"], ["--merge-base", old], ["--baseline", old], loose,
                ["--paired", *pairs, *beside]]
        for number, way in enumerate(ways):
            again = self.attempt(self.slow(f"way-{number}", 360 + number), *way,
                                 commit=commit.upper())
            self.assertEqual((again["status"], self.codes(again)[0]),
                             ("fail", "earlier_fail_stands"), way)
            self.assertTrue(again["reasons"][0]["text"].startswith(
                f"Against branch main it failed ({name}); another baseline does not lift that"))
            self.assertIn(name, again["candidate"]["earlier_failed"])
        self.assertEqual(again["candidate"]["commit"], commit, "hex digits are stored lower")


class LandedAttempt(AttemptCase):
    """The gate on the baseline branch."""

    def test_a_fail_on_the_baseline_branch_stands_when_it_is_judged_again(self):
        commit = "a1" * 20
        for seed in (300, 301, 302):
            path = self.candidate(f"main-{seed}", seed, "--slow-op", ".=1.06")
            again = self.attempt(path, branch="main", commit=commit)
            self.assertEqual(again["status"], "fail")
            self.assertEqual(again["candidate"]["run_count"], seed - 299)
        self.assertEqual(len(again["candidate"]["earlier_failed"]), 2)
        self.assertEqual(again["baseline"]["run_count"], 8)


class RetractedAttempt(AttemptCase):
    """What rests on a retracted profile is no word against the change."""

    def test_a_fail_of_a_retracted_profile_does_not_stand(self):
        slow = ["--slow-op", ".=1.3"]
        self.ingest("--branch", "topic", "--commit", COMMIT, self.candidate("debug", 170, *slow))
        failed = self.attempt(self.candidate("slow", 171, *slow))
        self.assertEqual((failed["status"], failed["candidate"]["run_count"]), ("fail", 2))
        self.expect(0, "retract", failed["candidate"]["profile_ids"][0], "--reason", "debug build")
        later = self.attempt(self.candidate("sound", 172))
        self.assertEqual(later["candidate"]["earlier_failed"], [])
        self.assertIn("v1 (fail, but of a retracted profile)", str(later["reasons"]))
        type(self).verdicts = 0  # `show` says more of them now than was recorded


if __name__ == "__main__":
    unittest.main()
