#!/usr/bin/env python3
"""Two commands in turns: the order is recorded, each run has its folder, pairs are judged."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cli_case import BINARY, MAKE_PROFILE, LedgerCase  # noqa: E402

SCOPE = ["--project", "p", "--workload", "w"]


class InterleaveTest(LedgerCase):
    """A job that writes a small profile where it is told to."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        job = cls.folder / "job.sh"
        job.write_text(f"""#!/bin/sh
[ -z "$(ls -A "$STEPLEDGER_CAPTURE_DIR")" ] || exit 9
seed=$((STEPLEDGER_ROUND * 2))
[ "$STEPLEDGER_SIDE" = baseline ] || seed=$((seed + 1))
XLA_FLAGS=--of-$STEPLEDGER_SIDE '{BINARY}' capture-env --repo / --output "$STEPLEDGER_ENV_FILE"
echo "$STEPLEDGER_ROUND $STEPLEDGER_SIDE" >>'{cls.folder}/order'
exec '{sys.executable}' '{MAKE_PROFILE}' --output "$STEPLEDGER_CAPTURE_DIR" --devices 1 \\
    --layers 1 --steps 10 --seed $seed "$@"
""")
        job.chmod(0o755)
        cls.job = str(job)

    def setUp(self):
        (self.folder / "order").unlink(missing_ok=True)

    def interleave(self, code, options, *commands):
        words = [word for command in commands for word in ("--", *command)]
        return self.expect(code, "interleave", *SCOPE, *options, *words)

    def facts(self, profile):
        document = self.expect(0, "show", profile).document
        return {fact["name"]: fact["value"] for fact in document["environment"]["facts"]}

    def test_judges_pairs_and_records_the_order(self):
        result = self.interleave(
            0, ["--rounds", "3", "--seed", "11", "--name", "il", "--commit", "b" * 40, "--branch",
                "topic", "--baseline-commit", "a" * 40, "--capture-root", self.folder / "kept"],
            [self.job], [self.job])
        verdict = result.document  # stdout is the verdict alone
        baseline, candidate = verdict["baseline"], verdict["candidate"]
        self.assertEqual([baseline["run_ids"], candidate["run_ids"]],
                         [[f"il-{n}-{side}" for n in (1, 2, 3)]
                          for side in ("baseline", "candidate")])
        self.assertEqual((candidate["branch"], candidate["commit"]), ("topic", "b" * 40))
        self.assertEqual((baseline["branch"], baseline["commit"]), ("main", "a" * 40))
        ran = [line.split() for line in (self.folder / "order").read_text().splitlines()]
        self.assertEqual([int(number) for number, _ in ran], [1, 1, 2, 2, 3, 3])
        first = [ran[index][1] for index in (0, 2, 4)]
        self.assertEqual(len(set(first)), 2, "one side goes first in every round")
        for number, (left, right) in enumerate(zip(baseline["profile_ids"],
                                                   candidate["profile_ids"])):
            facts = {"baseline": self.facts(left), "candidate": self.facts(right)}
            for side, told in facts.items():
                self.assertEqual(told["interleave_round"], f"{number + 1} of 3")
                self.assertEqual(told["interleave_turn"] == "first", first[number] == side)
                self.assertEqual((told["interleave"], told["interleave_seed"]), ("il", "11"))
                self.assertEqual(told["xla_flags"], f"--of-{side}")
        kept = sorted(path.name for path in (self.folder / "kept" / "il").iterdir()
                      if path.is_dir())
        self.assertEqual(kept, sorted(f"{n}-{side}" for n in (1, 2, 3)
                                      for side in ("baseline", "candidate")))

    def test_the_same_commit_again_is_judged_with_all_its_pairs(self):
        for attempt in (1, 2):
            verdict = self.interleave(0, ["--rounds", "1", "--commit", "c" * 40],
                                      [self.job, "--seed", str(70 + attempt)],
                                      [self.job, "--seed", str(80 + attempt)]).document
            self.assertEqual((verdict["candidate"]["attempts"], verdict["candidate"]["run_count"]),
                             (attempt, attempt))

    def test_rounds_of_one_name_and_seed_are_captures_of_one_run(self):
        for attempt in (1, 2):
            verdict = self.interleave(
                0, ["--rounds", "1", "--commit", "e" * 40, "--name", "nightly", "--seed", "5"],
                [self.job, "--seed", str(170 + attempt)],
                [self.job, "--seed", str(180 + attempt)]).document
            candidate = verdict["candidate"]
            self.assertEqual((candidate["attempts"], candidate["run_count"],
                              len(candidate["profile_ids"])), (attempt, 1, attempt))
            self.assertNotIn("other pairs", str(verdict["reasons"]))

    def test_a_command_that_fails_ends_it_and_what_was_ingested_stays(self):
        flop = self.folder / "flop.sh"
        flop.write_text(f"""#!/bin/sh
[ "$STEPLEDGER_SIDE" = baseline ] || [ "$STEPLEDGER_ROUND" = 1 ] || exit 3
exec '{self.job}' --seed "$1$STEPLEDGER_ROUND"
""")
        flop.chmod(0o755)
        commit = ["--commit", "d" * 40]
        result = self.interleave(65, ["--rounds", "2", "--name", "flop", *commit],
                                 [str(flop), "9"], [str(flop), "90"])
        self.assertIn("round 2: the candidate's command ended with exit code 3", result.err)
        self.assertEqual(result.out, "")
        self.assertIn("flop-1-candidate", self.expect(0, "export").out)
        again = self.interleave(0, ["--rounds", "1", *commit], [self.job, "--seed", "95"],
                                [self.job, "--seed", "96"]).document
        candidate = again["candidate"]
        self.assertEqual((candidate["run_count"], candidate["attempts"]), (2, 1), "its whole round")
        self.assertIn("flop-1-candidate", candidate["run_ids"])
        self.assertIn("flop-1-baseline", again["baseline"]["run_ids"])

    def test_says_what_is_missing(self):
        for code, commands, says in ((65, (["true"], ["true"]), "left nothing in the folder"),
                                     (2, (["true"],), "two commands are wanted"),
                                     (6, (["/no/such"], ["/no/such"]), "cannot run /no/such")):
            with self.subTest(says):
                self.assertIn(says, self.interleave(code, ["--rounds", "1"], *commands).err)
        result = self.interleave(2, ["--rounds", "0"], ["true"], ["true"])
        self.assertIn("--rounds", result.err)
        result = self.interleave(2, ["--commit", "f" * 40, "--baseline-commit", "F" * 40],
                                 [self.job], [self.job])
        self.assertIn("is the candidate's own commit", result.err)
        result = self.interleave(6, ["--policy", "/no/such"], [self.job], [self.job])
        self.assertFalse((self.folder / "order").exists(), "nothing runs that cannot be judged")


if __name__ == "__main__":
    unittest.main()
