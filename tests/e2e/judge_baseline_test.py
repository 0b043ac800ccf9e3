"""What can be compared, which baseline is taken, and where one begins anew."""

import re
import unittest

from judge_case import SCOPE, JudgeCase


class Provenance(JudgeCase):
    """What can be compared, and which baseline is taken."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 8)

    def test_calls_other_hardware_device_counts_and_batches_incomparable(self):
        cases = {"device_type": ["--device-type", "TPU v4"], "device_count": ["--devices", "3"]}
        for number, (field, options) in enumerate(cases.items()):
            path = self.profile(f"other-{field}", "--seed", str(200 + number), *options)
            verdict = self.gate(5, path)
            rows = {row["field"]: row for row in verdict["mismatches"]}
            self.assertEqual(verdict["status"], "incomparable")
            self.assertNotEqual(rows[field]["baseline"], rows[field]["candidate"])
            self.assertIsNotNone(rows[field]["baseline"])
            self.assertIsNotNone(rows[field]["candidate"])

    def test_calls_another_batch_size_incomparable(self):
        for run in range(2):
            self.ingest("--branch", "batches", "--meta", "batch=512",
                        self.profile(f"batch-{run}", "--seed", str(220 + run)))
        path = self.profile("batch-other", "--seed", "230")
        verdict = self.gate(5, "--baseline-branch", "batches", "--meta", "batch=256", path)
        row = next(row for row in verdict["mismatches"] if row["field"] == "batch")
        self.assertEqual((row["baseline"], row["candidate"]), ("512", "256"))

    def test_says_that_there_is_no_baseline(self):
        path = self.profile("alone", "--seed", "240")
        result = self.expect(6, "gate", *SCOPE, "--baseline-branch", "nobody", path)
        self.assertIn("no baseline", result.err)
        self.assertEqual(result.out, "")

    def test_another_branchs_run_of_the_same_name_is_another_run(self):
        """Runs are named within workload and branch: a candidate's, or another profile of its
        commit's, takes none of main's away."""
        commit = "7d" * 20
        for run in range(2):
            self.ingest("--branch", "alike", "--run", f"nightly-{run}",
                        self.profile(f"alike-{run}", "--seed", str(2700 + run)))
        call = ["--baseline-branch", "alike", "--branch", "topic", "--commit", commit]
        self.ingest("--branch", "topic", "--commit", commit, "--run", "nightly-0",
                    self.profile("alike-other", "--seed", "2750"))
        result = self.expect(0, "gate", *SCOPE, *call, "--run", "nightly-1",
                             self.profile("alike-new", "--seed", "2751"))
        type(self).verdicts += 1
        self.assertEqual(result.document["baseline"]["run_count"], 2)
        self.assertNotIn("left out", result.document["baseline"]["why"])
        self.assertNotIn("stands on both sides", result.err)

    def test_says_which_runs_it_leaves_out_for_their_names(self):
        """A profile of the candidate's commit that stands on main under the name of one of its
        runs takes that run away: not in silence, also where a named baseline asks the branch how
        runs vary."""
        commit = "7e" * 20
        for run in range(3):
            self.ingest("--branch", "few", "--run", f"few-{run}",
                        self.profile(f"few-{run}", "--seed", str(2800 + run)))
        thieves = [self.profile(f"thief-{run}", "--seed", str(2900 + run)) for run in range(3)]
        call = ["--baseline-branch", "few", "--branch", "topic", "--commit", commit]
        self.ingest("--branch", "few", "--commit", commit, "--run", "few-0", thieves[0])
        path = self.profile("robbed", "--seed", "2850")
        said = ("; %s left out, because profiles of the candidate or its commit bear its name on "
                "the same branch (few-0: p")
        self.assertIn(said % "1 run was", self.gate(0, *call, path)["baseline"]["why"])
        named = self.gate(0, *call, "--baseline", "few-2", path)["baseline"]["why"]
        self.assertTrue(named.startswith("the baseline that was named; of the past"), named)
        self.assertIn(said % "of the past that tells how runs vary 1 run was", named)
        for run in (1, 2):
            self.ingest("--branch", "few", "--commit", commit, "--run", f"few-{run}", thieves[run])
        result = self.expect(6, "gate", *SCOPE, *call, path)
        self.assertIn("; 3 runs were left out, because profiles", result.err)

    def test_looks_past_runs_that_cannot_be_compared(self):
        self.ingest("--branch", "mixed", *(
            self.profile(f"good-{run}", "--seed", str(250 + run)) for run in range(3)))
        self.ingest("--branch", "mixed", *(
            self.profile(f"bad-{run}", "--seed", str(260 + run), "--devices", "3")
            for run in range(4)))
        path = self.profile("after-mixed", "--seed", "270")
        verdict = self.gate(0, "--baseline-branch", "mixed", "--last", "3", path)
        self.assertEqual(verdict["baseline"]["run_count"], 3)
        self.assertIn("4 profiles that cannot be compared were passed over",
                      verdict["baseline"]["why"])

    def test_takes_all_comparable_runs(self):
        """Also those of which only the figures are read; the replay of the verdict says so."""
        self.ingest("--branch", "long", *[
            self.profile(f"long-{run}", "--seed", str(600 + run), "--devices", "1")
            for run in range(23)])
        path = self.profile("after-long", "--seed", "630", "--devices", "1")
        verdict = self.gate(0, "--baseline-branch", "long", path)
        self.assertEqual(verdict["baseline"]["run_count"], 23)
        self.assertEqual(len(verdict["baseline"]["profile_ids"]), 23)
        self.assertEqual(verdict["baseline"]["why"], "all 23 comparable runs of branch long")
        last = self.gate(0, "--baseline-branch", "long", "--last", "21", path)
        self.assertEqual(last["baseline"]["why"], "the newest 21 comparable runs of branch long")
        self.assertEqual(last["baseline"]["profile_ids"], verdict["baseline"]["profile_ids"][2:])
        self.assertTrue(verdict["ops"] or verdict["groups"])

    def test_takes_the_merge_base_and_the_past_before_it(self):
        path = self.profile("at-merge-base", "--seed", "280")
        verdict = self.gate(0, "--merge-base", f"{8:040x}", path)
        self.assertEqual(verdict["baseline"]["run_ids"], ["main-8"])
        self.assertIsNotNone(verdict["statistics"]["df"])
        result = self.expect(6, "gate", *SCOPE, "--merge-base", "f" * 40, path)
        self.assertIn("no profile of merge base", result.err)

    def test_takes_files_and_names_on_both_sides(self):
        path = self.profile("file-baseline", "--seed", "290")
        other = self.profile("file-candidate", "--seed", "291")
        verdict = self.gate(0, "--baseline", path, "--baseline", "main-2", other)
        self.assertEqual(verdict["baseline"]["run_count"], 2)
        again = self.gate(0, "--baseline", "main-3", verdict["candidate"]["profile_ids"][0])
        self.assertEqual(again["candidate"]["profile_ids"], verdict["candidate"]["profile_ids"])
        result = self.expect(6, "gate", *SCOPE, "no-such-thing")
        self.assertIn("'no-such-thing' is no file", result.err)

    def test_goes_by_the_policy_file(self):
        policy = self.folder / "strict.policy"
        policy.write_text("policy_version = 1\non_inconclusive = fail\n"
                          "[workload w]\nmin_steps = 1000\n")
        path = self.profile("by-policy", "--seed", "300")
        verdict = self.gate(1, "--policy", policy, path)
        self.assertEqual(self.codes(verdict)[0], "inconclusive_by_policy")
        self.assertNotEqual(verdict["policy_sha256"], self.gate(0, path)["policy_sha256"])
        shown = self.expect(0, "policy", "check", *SCOPE, policy).document
        self.assertEqual(shown["policy_sha256"], verdict["policy_sha256"])
        policy.write_text("policy_version = 1\nmin_step = 3\n")
        result = self.expect(2, "gate", *SCOPE, "--policy", policy, path)
        self.assertIn(f"{policy}:2: unknown key 'min_step'; did you mean 'min_steps'?", result.err)
        self.expect(2, "policy", "check", policy)
        policy.write_text("nonsense\npolicy_version = 1\n[unclosed\nalpa_fail = 1\n[watch w]\n"
                          "limt_pct = 3\n")
        told = self.expect(2, "policy", "check", policy).err.splitlines()
        self.assertEqual([int(re.search(r":([0-9]+): ", line)[1]) for line in told[:-1]],
                         [1, 3, 4, 6])
        self.assertTrue(told[-1].endswith(": 4 faults"))
        for path, fault in ((policy, f"{policy}:1: "), (self.folder / "none", "none")):
            configured = self.folder / "judged.conf"
            configured.write_text(f"judge_policy = {path}\n")
            self.assertRegex(self.expect(1, "check", "--config", configured).out,
                             f"\n! judge_policy: .*{fault}")

    def test_lists_every_reason_that_a_verdict_may_give(self):
        listed = dict(line.split(None, 1)
                      for line in self.expect(0, "policy", "reasons").out.splitlines())
        self.assertIn("step_median_regressed", listed)
        for verdict in (self.gate(0, "p1"), self.gate(5, self.profile("other", "--devices", "3"))):
            for code in self.codes(verdict):
                made_of = code.endswith(("_differs", "_unknown", "_increased", "_decreased"))
                self.assertTrue(made_of or code in listed, code)


class Levels(JudgeCase):
    """A branch whose step time changed for good: 7 runs, then 8 that are slower."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 7)
        cls.runs("main", 8, "--slow-op", "attention=1.6", first=50)
        rows = cls().expect(0, "trend", *SCOPE).document["points"]
        cls.series = rows[0]["series"]
        cls.last_fast, cls.first_slow = rows[6]["profile_id"], rows[7]["profile_id"]
        cls.candidate = cls.profile("slow-candidate", "--seed", "470", "--slow-op", "attention=1.6")

    def baseline(self, *arguments):
        """The baseline that the gate takes for one more slow run."""
        return self.gate(0, "--last", "12", *arguments, self.candidate)["baseline"]

    def test_starts_a_baseline_anew(self):
        before = self.baseline()
        self.assertEqual(before["run_count"], 8)  # of its level; the others are named
        self.assertEqual({run["reason"] for run in before["set_aside"]}, {"other_level"})
        self.assertRegex(before["why"], f"; set aside: {len(before['set_aside'])}$")
        done = self.expect(0, "rebaseline", self.series, "--after", self.last_fast,
                           "--reason", "new driver").document
        after = self.baseline()
        self.assertEqual(after["run_count"], 8)
        self.assertIn(f"since re-baseline {done['rebaseline']}", after["why"])
        # of the merge base the level that it stands in counts, not the present one
        early = self.gate(1, "--merge-base", f"{7:040x}", self.candidate)
        self.assertEqual(early["baseline"]["run_ids"], ["main-7"])
        self.assertEqual(early["statistics"]["df"], 5)  # 6 runs before it and none behind it
        again = self.expect(0, "rebaseline", self.series, "--after", self.last_fast,
                            "--reason", "said twice").document
        self.assertIn(f"since re-baseline {again['rebaseline']}", self.baseline()["why"])
        later = self.expect(0, "rebaseline", self.series, "--after", self.first_slow,
                            "--reason", "a mistake").document
        self.assertEqual(self.baseline()["run_count"], 7)
        back = self.expect(0, "rebaseline", self.series, "--withdraw", "--reason", "it was one")
        self.assertEqual(back.document["after_profile"], self.last_fast)
        self.assertGreater(back.document["rebaseline"], later["rebaseline"])
        self.assertEqual(self.baseline()["run_count"], 8)
        first = self.expect(0, "rebaseline", self.series, "--withdraw", "--reason", "all of it")
        self.assertIsNone(first.document["after_profile"])
        whole = self.baseline()
        self.assertEqual({run["reason"] for run in whole["set_aside"]}, {"other_level"})
        self.assertEqual(len(whole["set_aside"]), len(before["set_aside"]))
        self.assertEqual(len(self.expect(0, "trend", *SCOPE).document["courses"]), 1)
        none = self.expect(6, "rebaseline", self.series, "--withdraw", "--reason", "more")
        self.assertIn("no re-baseline that could be taken back", none.err)
        self.expect(0, "verify")

    def test_never_takes_a_baseline_across_a_change_point(self):
        done = self.expect(0, "rebaseline", self.series, "--at", self.first_slow,
                           "--reason", "longer context, as agreed").document
        self.assertEqual((done["status"], done["at_profile"]), ("confirmed", self.first_slow))
        self.assertGreater(done["after"], 1.03 * done["before"])
        after = self.baseline()
        self.assertEqual(after["run_count"], 8)
        self.assertEqual(after["run_ids"], [f"main-{run}" for run in range(50, 58)])
        self.assertIn(f"since change point {done['change_point']}", after["why"])
        points = self.expect(0, "trend", *SCOPE, "--branch", "main").document["points"]
        self.assertEqual([point["change_point"] for point in points],
                         [None] * 7 + [done["change_point"]] * 8)
        self.assertIn(f"a new level, {done['change_point']}",
                      self.expect(0, "trend", *SCOPE, "--format", "text").out)
        self.assertEqual(
            self.expect(0, "canary", *SCOPE, "--runs", "1").document["run_count"], 8)
        changes = ("list", "changes", "--project", "p")
        row, = self.expect(0, *changes).document["rows"]
        self.assertEqual((row["change"], row["status"], row["at_profile"], row["series"]),
                         (done["change_point"], "confirmed", self.first_slow, self.series))
        self.assertAlmostEqual(row["change_pct"], 100 * (done["after"] / done["before"] - 1))
        self.assertRegex(self.expect(0, *changes, "--format", "text").out,
                         r" \d+\.\d+ ms +\d+\.\d+ ms +\+\d+\.\d %")
        self.expect(0, "rebaseline", self.series, "--at", self.first_slow, "--withdraw",
                    "--reason", "a throttled machine")
        self.assertEqual(self.expect(0, *changes).document["rows"], [])
        self.assertEqual(
            len(self.expect(0, *changes, "--status", "withdrawn").document["rows"]), 1)
        self.assertNotIn(done["change_point"], self.baseline()["why"])
        self.expect(0, "verify")

    def test_puts_a_mark_by_the_runs_of_the_branch_alone(self):
        """What a topic's runs took is no level of main."""
        for run in range(4):
            self.ingest("--branch", "topic", "--run", f"topic-{run}", self.profile(
                f"topic-{run}", "--seed", str(480 + run), "--slow-op", "attention=3"))
        points = self.expect(0, "trend", *SCOPE, "--branch", "topic").document["points"]
        result = self.expect(65, "rebaseline", self.series, "--at", points[1]["profile_id"],
                             "--reason", "x")
        self.assertIn(f"{points[1]['profile_id']} (run topic-1) is no run of branch main",
                      result.err)
        self.assertIn("--branch", result.err)
        main = self.expect(0, "trend", *SCOPE, "--branch", "main").document["points"]
        change, = self.expect(0, "trend", *SCOPE, "--branch", "main").document["courses"][0][
            "changes"]
        done = self.expect(0, "rebaseline", self.series, "--at", self.first_slow, "--reason", "x")
        self.assertEqual((done.document["course"], done.document["before"],
                          done.document["after"]),
                         (change["tier"], change["before"], change["after"]))
        self.assertNotIn("rests on your word", done.err)
        own = self.expect(0, "rebaseline", self.series, "--at", main[11]["profile_id"],
                          "--reason", "x")
        self.assertIsNone(own.document["course"])
        self.assertIn("no level of the course of branch main begins at "
                      f"{main[11]['profile_id']}", own.err)
        slow = [point["value"] for point in main[7:]]
        self.assertTrue(min(slow) < own.document["before"] < max(slow))
        self.assertTrue(min(slow) < own.document["after"] < max(slow))
        for place in (self.first_slow, main[11]["profile_id"]):
            self.expect(0, "rebaseline", self.series, "--at", place, "--withdraw", "--reason", "x")

    def test_refuses_a_run_that_was_retracted(self):
        self.expect(0, "retract", self.first_slow, "--reason", "a bad host")
        for option in ("--after", "--at"):
            result = self.expect(65, "rebaseline", self.series, option, self.first_slow,
                                 "--reason", "x")
            self.assertIn(f"option {option}: {self.first_slow} (run main-50) was retracted at ",
                          result.err)
            self.assertIn(f"`stepledger retract {self.first_slow} --undo`", result.err)
        self.expect(0, "retract", self.first_slow, "--undo", "--reason", "it was not")

    def test_refuses_places_that_are_none(self):
        for code, said, arguments in (
                (6, "no series s999", ["s999"]),
                (65, "'nine' is no series", ["nine"]),
                (6, "no profile p9999", [self.series, "--after", "p9999"]),
                (6, "p9999", [self.series, "--at", "p9999"]),
                (65, "has no run before", [self.series, "--at", "p1"]),
                (6, "no change point", [self.series, "--at", "p3", "--withdraw"]),
                (2, "exclude each other", [self.series, "--at", "p3", "--after", "p3"]),
                (6, "no re-baseline that could be taken back", [self.series, "--withdraw"]),
                (2, "exclude each other", [self.series, "--withdraw", "--after", "p3"]),
                (2, "is no profile", [self.series, "--at", "3"])):
            result = self.expect(code, "rebaseline", *arguments, "--reason", "x")
            self.assertIn(said, result.err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
