"""A branch whose runs are all of one commit: night by night the same code, on the same machines."""

import unittest

from judge_case import SCOPE, JudgeCase

ALIKE = ["--devices", "1", "--layers", "1", "--steps", "10"]
PINNED, NEXT = "c1" * 20, "d1" * 20


class Pinned(JudgeCase):
    """Its other runs are the past of that commit while there is nothing else."""

    def candidate(self, seed, *options):
        return self.profile(f"run-{seed}", "--seed", str(seed), *ALIKE, *options)

    def pinned(self, code, seed, *options, branch="main"):
        return self.gate(code, "--branch", branch, "--commit", PINNED,
                         self.candidate(seed, *options))

    def says_itself(self, verdict):
        self.assertIn("same_commit_past", self.codes(verdict))
        self.assertIn("which has no run of another commit than the candidate's",
                      verdict["baseline"]["why"])
        self.assertNotIn("interleave", self.expect(0, "show", f"v{self.verdicts}", "--format",
                                                   "text").out)

    def test_a_pinned_commit_is_compared_with_itself_until_there_is_another(self):
        first = self.call("gate", *SCOPE, "--branch", "main", "--commit", PINNED, self.candidate(1))
        self.assertEqual(first.code, 6)
        self.assertIn("no other profile of branch 'main'", first.err)
        self.ingest("--branch", "main", "--commit", PINNED, *map(self.candidate, range(2, 9)))
        nightly = self.pinned(0, 9)
        self.assertEqual((nightly["status"], nightly["baseline"]["run_count"]), ("pass", 8))
        self.says_itself(nightly)
        self.assertEqual(self.pinned(0, 10, branch="topic")["baseline"]["run_count"], 9)
        slow = self.pinned(1, 11, "--slow-op", ".=1.06")
        self.says_itself(slow)
        named = self.gate(5, "--branch", "main", "--commit", PINNED, "--baseline",
                          nightly["baseline"]["profile_ids"][0], self.candidate(12))
        self.assertEqual(self.codes(named)[0], "same_commit")
        # From the next commit on it has no past of its own, and what its machine did is no fail.
        self.ingest("--branch", "main", "--commit", NEXT, self.candidate(13))
        later = self.pinned(0, 14)
        self.assertEqual((later["baseline"]["run_count"], later["candidate"]["earlier_failed"]),
                         (1, []))
        self.assertNotIn("same_commit_past", self.codes(later))
        self.assertRegex(later["baseline"]["why"],
                         "; 11 profiles of the candidate's own commit were left out .*`stepledger "
                         r"rebaseline s1 --after p\d+ --reason ...`")
        # A person may say that the level is its own.
        only_next = later["baseline"]["profile_ids"][0]
        self.expect(0, "rebaseline", "s1", "--after", only_next, "--reason", "pinned from here on")
        again = self.pinned(0, 15)
        self.assertEqual(again["baseline"]["run_count"], 1)
        self.says_itself(again)


if __name__ == "__main__":
    unittest.main()
