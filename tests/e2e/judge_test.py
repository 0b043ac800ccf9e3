"""The judge on profiles through the ledger: who is to blame, which baseline, what people decide;
every verdict made here is made again at the end, byte for byte.
"""

import csv
import io
import json
import os
import pathlib
import unittest
import xml.etree.ElementTree

from judge_case import SCOPE, JudgeCase

SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED",
                                     pathlib.Path(__file__).resolve().parents[3] / "shared"))
REAL = SHARED / "profiles" / "xplane"
OTHERS = 370  # beside the 30 ops of the model


class FourHundredOps(JudgeCase):
    """One op of 400 is slowed so that the step takes 4 % longer, all of them renumbered."""

    MODEL = ["--devices", "1", *[part for i in range(OTHERS)
                                 for part in ("--add-op", f"extra_{i}:200")]]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 11, *cls.MODEL)

    def test_fails_and_names_the_slow_op_first(self):
        step = 160_000  # us, about; the op grows by 32 times its 200 us
        slow = ["--renumber", "77", "--slow-op", f"extra_123$={1 + 0.04 * step / 200}"]
        paths = [self.profile(f"slow-{run}", "--seed", str(100 + run), *self.MODEL, *slow)
                 for run in range(3)]
        verdict = self.gate(1, "--last", "3", "--branch", "topic", "--commit", "c" * 40,
                            "--label", "nightly", *paths)
        self.assertEqual(verdict["status"], "fail")
        self.assertEqual((verdict["baseline"]["run_count"], verdict["candidate"]["run_count"]),
                         (3, 3))
        self.assertIn("extra_123", verdict["ops"][0]["op_path"])
        self.assertEqual(verdict["ops"][0]["change"], "slower")
        self.assertGreater(verdict["statistics"]["estimate_pct"], 3)
        self.assertLess(verdict["statistics"]["estimate_pct"], 5)
        slower = [op for op in verdict["ops"] if op["change"] == "slower"]
        self.assertEqual(len(slower), 1)
        balance = verdict["balance"]
        self.assertLess(abs(balance["residual_us"]), 0.02 * balance["step_delta_us"])
        self.assertEqual(balance["step_delta_us"], sum(
            balance[key] for key in ("ops_delta_us", "idle_delta_us", "residual_us")))
        categories = [group for group in verdict["groups"] if group["kind"] == "category"]
        self.assertEqual(categories[0]["name"], "loop fusion")


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

    def test_looks_past_runs_that_cannot_be_compared(self):
        for run in range(3):
            self.ingest("--branch", "mixed", self.profile(f"good-{run}", "--seed", str(250 + run)))
        for run in range(4):
            self.ingest("--branch", "mixed", self.profile(
                f"bad-{run}", "--seed", str(260 + run), "--devices", "3"))
        path = self.profile("after-mixed", "--seed", "270")
        verdict = self.gate(0, "--baseline-branch", "mixed", "--last", "3", path)
        self.assertEqual(verdict["baseline"]["run_count"], 3)
        self.assertIn("4 profiles that cannot be compared were passed over",
                      verdict["baseline"]["why"])

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


class People(JudgeCase):
    """Acceptances and re-baselines."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 8)

    def slow(self, name, seed):
        return self.profile(name, "--seed", seed, "--slow-op", "attention=1.6")

    def number(self, *arguments):
        """Gates in text form; returns the verdict's id."""
        shown = self.call("gate", *SCOPE, "--format", "text", *arguments)
        type(self).verdicts += 1
        return shown.out.rpartition("Recorded as ")[2].partition(";")[0]

    def test_accepts_one_change_and_no_other(self):
        first = ["--branch", "topic", "--commit", "a" * 40, self.slow("costly", "400")]
        other = ["--branch", "topic", "--commit", "b" * 40, self.slow("costly-too", "401")]
        self.gate(1, *first)
        verdict = self.number(*first)
        self.expect(2, "accept", verdict)
        self.expect(2, "accept", verdict, "--reason", "  ")
        accepted = self.expect(0, "accept", verdict, "--reason", " more heads, as agreed ").document
        self.assertEqual((accepted["verdict"], accepted["reason"], accepted["alert"]),
                         (verdict, "more heads, as agreed", "dismissed"))
        again = self.gate(0, *first)
        self.assertEqual(again["status"], "fail")  # the judgement stays what it is
        shown = self.call("gate", *SCOPE, "--format", "text", *first).out
        type(self).verdicts += 1
        self.assertIn("more heads, as agreed", shown)
        self.gate(1, *other)
        self.expect(6, "accept", "v999", "--reason", "x")
        other = self.number(self.profile("other-devices", "--seed", "402", "--devices", "3"))
        result = self.expect(65, "accept", other, "--reason", "x")
        self.assertIn("incomparable", result.err)

    def test_starts_a_baseline_anew(self):
        self.runs("level", 7)
        self.runs("level", 7, "--slow-op", "attention=1.6", first=50)
        level = self.ingest("--branch", "level", self.slow("level-last", "460"))[0]
        path = self.slow("level-candidate", "470")
        options = ["--baseline-branch", "level", "--last", "12", path]
        before = self.gate(0, *options)
        self.assertEqual(before["baseline"]["run_count"], 12)
        done = self.expect(0, "rebaseline", level["series"], "--after", self.ingest(
            "--branch", "level", self.profile("level-7", "--seed", "7"))[0]["profile"],
            "--reason", "new driver").document
        after = self.gate(0, *options)
        self.assertEqual(after["baseline"]["run_count"], 8)
        self.assertIn(f"since re-baseline {done['rebaseline']}", after["baseline"]["why"])
        self.expect(6, "rebaseline", "s999", "--reason", "x")
        self.expect(65, "rebaseline", "nine", "--reason", "x")


class Trend(JudgeCase):
    """The course of a measure."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 7)
        cls.slow = cls.profile("slow", "--seed", "601", "--slow-op", "attention=1.6")

    def trend(self, form, *arguments):
        return self.expect(0, "trend", *SCOPE, "--format", form, *arguments)

    def test_follows_a_measure_with_its_verdicts(self):
        verdict = self.gate(1, "--branch", "topic", "--run", "=1+1", self.slow)
        document = self.trend("json").document
        self.assertEqual([point["run"] for point in document["points"]],
                         [*(f"main-{run}" for run in range(1, 8)), "=1+1"])
        self.assertEqual(document["points"][-1]["verdict"], "fail")
        self.assertEqual(document["points"][-1]["value"], verdict["candidate"]["step_median_us"])
        self.assertIsNone(document["points"][0]["verdict"])
        main = self.trend("json", "--branch", "main", "--last", "3").document
        self.assertEqual([point["run"] for point in main["points"]], ["main-5", "main-6", "main-7"])
        text = self.trend("text").out
        self.assertIn("fail (v1)", text)
        self.assertRegex(text, "[\u2581-\u2588]{8}")
        rows = list(csv.reader(io.StringIO(self.trend("csv").out)))
        self.assertEqual(len(rows), 9)
        self.assertEqual(rows[8][2], "'=1+1")  # no spreadsheet runs it
        self.assertEqual(float(rows[8][8]), verdict["candidate"]["step_median_us"])
        picture = xml.etree.ElementTree.fromstring(self.trend("svg").out)
        self.assertEqual(len(picture.findall("{http://www.w3.org/2000/svg}circle")), 8)
        target = self.folder / "trend.svg"
        self.trend("svg", "--output", target)
        self.assertEqual(target.read_text(), self.trend("svg").out)

    def test_knows_its_own_rate_of_false_alarms(self):
        self.runs("quiet", 12, first=700)
        report = self.expect(0, "canary", *SCOPE, "--branch", "quiet", "--runs", "2").document
        rows = {row["effect_pct"]: row for row in report["rows"]}
        self.assertEqual((report["run_count"], report["window_count"], report["disjoint_count"]),
                         (12, 9, 3))
        self.assertEqual(rows[0]["fail"], 0)
        self.assertEqual(rows[10]["fail"], 1)
        for row in report["rows"]:
            self.assertAlmostEqual(1, sum(row[key] for key in (
                "fail", "warn", "pass", "inconclusive", "incomparable")))
        text = self.expect(0, "canary", *SCOPE, "--branch", "quiet", "--format", "text").out
        self.assertIn("CANARY", text.splitlines()[0])
        result = self.expect(6, "canary", *SCOPE, "--branch", "quiet", "--runs", "5")
        self.assertIn("at least 20", result.err)

    def test_refuses_what_is_not_tracked(self):
        result = self.expect(2, "trend", *SCOPE, "--measure", "steady_step_medain")
        self.assertIn("'steady_step_median'?", result.err)
        self.expect(6, "trend", "--project", "p", "--workload", "unknown")
        self.expect(2, "trend", *SCOPE, "--last", "0")


class Forge(JudgeCase):
    """Formats, several workloads in one call, and what a step of a forge is left."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 8)
        cls.same = cls.profile("same", "--seed", "500")
        cls.slow = cls.profile("slow", "--seed", "501", "--slow-op", "attention=1.6")

    def printed(self, code, form, path, **more):
        result = self.expect(code, "gate", *SCOPE, "--format", form, path, **more)
        type(self).verdicts += 1
        return result.out

    def test_prints_every_format(self):
        self.assertEqual(json.loads(self.printed(1, "json", self.slow))["status"], "fail")
        lines = self.printed(1, "jsonl", self.slow).splitlines()
        self.assertEqual([json.loads(line)["status"] for line in lines], ["fail"])
        self.assertTrue(self.printed(1, "text", self.slow).startswith("FAIL  step time"))
        self.assertIn("FAIL", self.printed(1, "md", self.slow).splitlines()[0])
        suites = xml.etree.ElementTree.fromstring(self.printed(1, "junit", self.slow))
        self.assertEqual(suites[0].get("failures"), "1")
        self.assertEqual(suites[0][0][0].tag, "failure")
        suites = xml.etree.ElementTree.fromstring(self.printed(0, "junit", self.same))
        self.assertEqual((suites[0].get("failures"), suites[0].get("tests")), ("0", "1"))

    def test_annotates_step_time_and_three_ops_at_most(self):
        lines = self.printed(1, "github", self.slow).splitlines()
        self.assertTrue(lines[0].startswith("::error title=FAIL%3A w::step time "))
        self.assertLessEqual(len(lines), 4)
        self.assertTrue(all(line.startswith("::error title=") for line in lines))
        quiet = self.printed(0, "github", self.same)
        self.assertNotIn("::error", quiet)

    def test_leaves_summary_and_output_to_the_forge(self):
        summary, output = self.folder / "summary.md", self.folder / "output"
        output.write_text("earlier=1\n")
        self.printed(1, "github", self.slow, environment={
            "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output)})
        self.assertIn("FAIL", summary.read_text())
        rows = output.read_text().splitlines()
        self.assertEqual(rows[:2], ["earlier=1", "verdict=fail"])
        self.assertEqual(rows[3], "exit_code=1")
        self.assertRegex(rows[2], "^verdict_id=v[0-9]+$")

    def test_judges_a_matrix_and_ends_with_the_worst(self):
        matrix = self.folder / "matrix.conf"
        matrix.write_text(
            f"[good]\nworkload = w\ncandidate = {self.same}\n"
            f"[bad]\nworkload = w\ncandidate = {self.slow}\n"
            f"[none]\nworkload = never-seen\ncandidate = main-1\n")
        result = self.expect(6, "gate", "--project", "p", "--matrix", matrix)
        type(self).verdicts += 2
        document = result.document
        self.assertEqual(document["exit_code"], 6)
        self.assertEqual([row["name"] for row in document["verdicts"]], ["good", "bad", "none"])
        self.assertEqual(document["verdicts"][1]["verdict"]["status"], "fail")
        self.assertEqual(document["verdicts"][2]["error_kind"], "missing")
        matrix.write_text(f"[good]\nworkload = w\ncandidate = {self.same}\n"
                          f"[bad]\nworkload = w\ncandidate = {self.slow}\n")
        shown = self.expect(1, "gate", "--project", "p", "--matrix", matrix, "--format", "md").out
        type(self).verdicts += 2
        self.assertIn("| FAIL", shown)
        suites = xml.etree.ElementTree.fromstring(self.expect(
            1, "gate", "--project", "p", "--matrix", matrix, "--format", "junit").out)
        type(self).verdicts += 2
        self.assertEqual((suites[0].get("tests"), suites[0].get("failures")), ("2", "1"))

    def test_names_the_line_of_a_wrong_matrix(self):
        matrix = self.folder / "wrong.conf"
        for text, said in (("[a]\ncandidat = x\n", ":2: unknown key 'candidat'"),
                           ("last = 3\n", ":1: 'last' stands before the first"),
                           ("[a]\nlast = 3\n", "no candidate"), ("", "no [section]")):
            matrix.write_text(text)
            result = self.expect(2, "gate", "--project", "p", "--matrix", matrix)
            self.assertIn(said, result.err)

    def test_passes_on_request_when_the_database_is_away(self):
        away = ["--db", "host=/nonexistent dbname=x connect_timeout=1"]
        self.expect(69, "gate", *SCOPE, *away, self.same)
        result = self.expect(0, "gate", *SCOPE, *away, "--on-error", "pass", self.same)
        self.assertIn("stepledger gate: ", result.err)

    def test_refuses_to_replay_what_is_not_there(self):
        self.expect(6, "gate", "--replay", "v99999")
        self.expect(2, "gate", "--replay", "seven")
        self.expect(2, "gate", "--replay", "v1", self.same)


@unittest.skipUnless(REAL.is_dir(), f"SKIPPED: no real profiles at {REAL} (STEPLEDGER_SHARED)")
class RealPairs(JudgeCase):
    """Pairs of real profiles, one profiled step each or none."""

    KERAS = "ecbme4040__e4040-{}.xplane.pb"
    REPEATS = [["2022fall-assign2-yg2820__gpu-20221104-212612",
                "2022fall-assign2-yg2820__gpu-20221104-213656",
                "2022fall-assign2-yg2820__gpu-20221104-215724"],
               ["2023fall-assign2-hd2551__gpu-20231107-181859",
                "2023fall-assign2-hd2551__gpu-20231107-181933"],
               ["2023fall-assign2-hd2551__gpu-20231107-182427",
                "2023fall-assign2-hd2551__gpu-20231107-182502"]]

    def test_never_fails_repeats_of_one_program(self):
        blamed = 0
        for group in self.REPEATS:
            paths = [REAL / self.KERAS.format(name) for name in group]
            for before in paths:
                for after in paths:
                    if before == after:
                        continue
                    verdict = self.gate(0, "--warmup-steps", "0", "--baseline", before, after)
                    self.assertNotEqual(verdict["status"], "fail")
                    longer = (verdict["candidate"]["step_median_us"] >
                              1.5 * verdict["baseline"]["step_median_us"])
                    if longer:
                        self.assertIn("device_not_slower", self.codes(verdict))
                        blamed += 1
        self.assertGreaterEqual(blamed, 3)

    def test_does_not_compare_two_stacks_on_different_devices(self):
        old = REAL / "AMD-AGI__TraceLens__mi300x-jax_conv_minimal_legacy.xplane.pb"
        new = REAL / "AMD-AGI__TraceLens__mi300-jax_conv_minimal_08.xplane.pb"
        verdict = self.gate(5, "--baseline", old, new)
        self.assertEqual(verdict["status"], "incomparable")


if __name__ == "__main__":
    unittest.main(verbosity=2)
