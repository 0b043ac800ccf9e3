"""A change that is judged again: the candidate is what the ledger knows of its commit."""

import unittest

from judge_case import SCOPE, JudgeCase

COMMIT = "a" * 40
ALIKE = ["--devices", "1"]


class Attempts(JudgeCase):
    """All runs of a commit count, whoever took them in and however often they were judged."""

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
        self.assertNotEqual(later["status"], "pass", "a later green does not hide an earlier red")
        again = self.attempt(self.candidate("fast", 101))
        self.assertEqual(again["candidate"]["attempts"], 2, "the same runs are no further attempt")

    def test_keeps_other_branches_and_the_baselines_own_apart(self):
        self.ingest("--branch", "other", "--commit", "b" * 40, self.candidate("other", 110))
        mine = self.attempt(self.candidate("mine", 111), commit="b" * 40)
        self.assertEqual(mine["candidate"]["run_count"], 1)
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

    def test_without_a_commit_the_operands_are_the_candidate(self):
        for seed in (130, 131):
            result = self.call("gate", *SCOPE, "--branch", "topic",
                                      self.candidate(f"nobody-{seed}", seed))
            type(self).verdicts += 1
            self.assertEqual(result.document["candidate"]["run_count"], 1)
            self.assertIsNone(result.document["candidate"]["attempts"])


if __name__ == "__main__":
    unittest.main()
