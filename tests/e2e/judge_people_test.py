"""What people decide about verdicts and see of the past: acceptances, trends, canaries."""

import csv
import io
import unittest
import xml.etree.ElementTree

from judge_case import SCOPE, JudgeCase


class People(JudgeCase):
    """Acceptances."""

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

    def shows(self, verdict, says, other, event):
        """Every form of `show`, but for those that other names, and what `report` notes."""
        for form in ("text", "md", "html", "github", "junit"):
            result = self.expect(0, "show", verdict, "--format", form)
            self.assertIn(other.get(form, says), " ".join(result.out.split()))
            self.assertIn(event, result.err)
        self.assertIn(f"{event} verdict={verdict}", self.expect(0, "report", verdict).err)

    def answers(self, verdict, document, words):
        """Both questions about a verdict say of its acceptance what `show` does, and in which
        words."""
        later = {name: document[name] for name in ("accepted", "beyond") if name in document}
        for question in ("why did it fail", "which op got slower"):
            result = self.expect(0, "query", verdict, question)
            said = result.document
            for name, event in (("accepted", "verdict_accepted"),
                                ("beyond", "acceptance_exceeded")):
                self.assertEqual(f"event={event} verdict={verdict}" in result.err, name in later)
            self.assertEqual({name: said[name] for name in ("accepted", "beyond") if name in said},
                             later)
            self.assertEqual(said["status"], document["status"])
            self.assertTrue(said["answer"].startswith(words), said["answer"])

    def test_accepts_one_change_and_no_other(self):
        first = ["--branch", "topic", "--commit", "a" * 40, self.slow("costly", "400")]
        other = ["--branch", "topic", "--commit", "b" * 40, self.slow("costly-too", "401")]
        self.gate(1, *first)
        verdict = self.number(*first)
        self.expect(2, "accept", verdict)
        self.expect(2, "accept", verdict, "--reason", "  ")
        self.answers(verdict, self.expect(0, "show", verdict).document, "step time ")
        accepted = self.expect(0, "accept", verdict, "--reason", " more heads, as agreed ").document
        self.assertEqual((accepted["verdict"], accepted["reason"], accepted["alert"]),
                         (verdict, "more heads, as agreed", "dismissed"))
        again = self.gate(0, *first)
        self.assertEqual(again["status"], "fail")  # the judgement stays what it is
        shown = self.call("gate", *SCOPE, "--format", "text", *first).out
        type(self).verdicts += 1
        self.assertIn("more heads, as agreed", shown)
        self.assertIn("more heads, as agreed", again["accepted"])
        shown = self.expect(0, "show", verdict)
        self.assertIn("more heads, as agreed (by ", shown.document["accepted"])
        self.assertNotIn("beyond", shown.document)
        self.answers(verdict, shown.document, "Accepted, and no longer in the way: "
                     f"{shown.document['accepted']}; step time ")
        self.assertIn("event=verdict_accepted verdict=" + verdict, shown.err)
        self.shows(verdict, "Accepted, and no longer in the way: more heads, as agreed",
                   {"junit": "Accepted: more heads, as agreed"}, "event=verdict_accepted")
        for form, says in (("md", "Accepted, and no longer in the way: more heads, as agreed"),
                           ("junit", "Accepted: more heads, as agreed"),
                           ("github", "w::Accepted, and no longer in the way: more heads"),
                           ("jsonl", '"accepted": "more heads, as agreed')):
            result = self.call("gate", *SCOPE, "--format", form, *first)
            type(self).verdicts += 1
            self.assertEqual(result.code, 0)
            self.assertIn(says, result.out)
            self.assertIn("event=verdict_accepted verdict=v", result.err)
        self.gate(1, *other)
        self.expect(6, "accept", "v999", "--reason", "x")
        other = self.number(self.profile("other-devices", "--seed", "402", "--devices", "3"))
        result = self.expect(65, "accept", other, "--reason", "x")
        self.assertIn("incomparable", result.err)

    def test_an_acceptance_covers_what_was_accepted(self):
        """Another run of the commit that is slower still fails, and is told by how much."""
        commit = ["--branch", "topic", "--commit", "c" * 40]
        small = self.profile("small", "--seed", "410", "--slow-op", ".=1.05")
        large = self.profile("large", "--seed", "411", "--slow-op", ".=1.35")
        self.gate(1, *commit, small)
        verdict = f"v{self.verdicts}"
        self.assertNotIn('"accepted":', self.expect(0, "show", verdict).out)
        self.expect(0, "accept", verdict, "--reason", "five percent, as agreed")
        self.assertIn("five percent", self.gate(0, *commit, small)["accepted"])
        beyond = self.gate(1, *commit, large)
        self.assertIsNone(beyond["accepted"])
        self.assertRegex(beyond["beyond"], f"^{verdict} was accepted, with an estimate of .* which "
                                           "covers up to .* points beyond that, and fails$")
        for form in ("text", "md", "junit", "github"):
            result = self.call("gate", *SCOPE, "--format", form, *commit, large)
            type(self).verdicts += 1
            self.assertEqual(result.code, 1)
            self.assertIn("More than was accepted: " + verdict, " ".join(result.out.split()))
            self.assertIn("event=acceptance_exceeded", result.err)
        last = f"v{self.verdicts}"
        shown = self.expect(0, "show", last).document
        self.assertEqual((shown["beyond"], "accepted" in shown), (beyond["beyond"], False))
        self.shows(last, "More than was accepted: " + verdict, {}, "event=acceptance_exceeded")
        self.answers(last, shown, f"More than was accepted: {shown['beyond']}; attempt ")
        self.expect(0, "accept", last, "--reason", "that as well")
        self.assertIn("that as well", self.expect(0, "show", last).document["accepted"])
        self.assertIn("that as well", self.gate(0, *commit, large)["accepted"])


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
        document = self.trend("json", "--all-branches").document
        self.assertEqual([point["run"] for point in document["points"]],
                         [*(f"main-{run}" for run in range(1, 8)), "=1+1"])
        self.assertEqual(document["points"][-1]["verdict"], "fail")
        self.assertEqual(document["points"][-1]["value"], verdict["candidate"]["step_median_us"])
        self.assertIsNone(document["points"][0]["verdict"])
        main = self.trend("json", "--branch", "main", "--last", "3").document
        self.assertEqual([point["run"] for point in main["points"]], ["main-5", "main-6", "main-7"])
        self.assertIsNone(main["branch_why"])
        unnamed = self.trend("json").document
        self.assertEqual((unnamed["branch"], len(unnamed["points"])), ("main", 7))
        self.assertIn("baseline branch", self.trend("text").out)
        text = self.trend("text", "--all-branches").out
        self.assertNotIn("baseline branch", text)
        self.assertIn("fail (v1)", text)
        self.assertRegex(text, "[\u2581-\u2588]{8}")
        rows = list(csv.reader(io.StringIO(self.trend("csv", "--all-branches").out)))
        self.assertEqual(len(rows), 9)
        self.assertEqual(rows[8][2], "'=1+1")  # no spreadsheet runs it
        self.assertEqual(float(rows[8][8]), verdict["candidate"]["step_median_us"])
        picture = xml.etree.ElementTree.fromstring(self.trend("svg", "--all-branches").out)
        svg = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(picture.findall(f"{svg}path/{svg}title")), 8)
        target = self.folder / "trend.svg"
        self.trend("svg", "--all-branches", "--output", target)
        self.assertEqual(target.read_text(), self.trend("svg", "--all-branches").out)

    def test_knows_its_own_rate_of_false_alarms(self):
        self.runs("quiet", 12, first=700)
        report = self.expect(0, "canary", *SCOPE, "--branch", "quiet", "--runs", "2").document
        rows = {row["effect_pct"]: row for row in report["rows"]}
        self.assertEqual((report["run_count"], report["window_count"], report["disjoint_count"]),
                         (12, 5, 3))
        self.assertEqual(rows[0]["fail"], 0)
        self.assertEqual(rows[0]["fail_low"], 0)
        self.assertGreater(rows[0]["fail_high"], 0.5, "three windows say little")
        self.assertIsNone(report["drift_pct"])
        self.assertEqual(rows[10]["fail"], 1)
        for row in report["rows"]:
            self.assertAlmostEqual(1, sum(row[key] for key in (
                "fail", "warn", "pass", "inconclusive", "incomparable")))
        text = self.expect(0, "canary", *SCOPE, "--branch", "quiet", "--format", "text").out
        self.assertIn("CANARY", text.splitlines()[0])
        result = self.expect(6, "canary", *SCOPE, "--branch", "quiet", "--runs", "5")
        self.assertIn("at least 16", result.err)
        self.assertIn("shares no run: 2 windows", " ".join(text.split()))

    def test_refuses_what_is_not_tracked(self):
        self.expect(2, "trend", *SCOPE, "--since", "2026-02-01", "--until", "2026-01-01")
        self.expect(2, "trend", *SCOPE, "--group-by", "workload")
        self.expect(2, "trend", *SCOPE, "--group-by", "op", "--format", "svg")
        result = self.expect(6, "trend", *SCOPE, "--until", "2020-01-01")
        self.assertIn("in that time", result.err)
        result = self.expect(2, "trend", *SCOPE, "--measure", "steady_step_medain")
        self.assertIn("'steady_step_median'?", result.err)
        result = self.expect(6, "trend", "--project", "p", "--workload", "unknown")
        self.assertRegex(result.err, r"trend: .*unknown.*; --branch B shows another, ")
        self.expect(2, "trend", *SCOPE, "--branch", "main", "--all-branches")
        self.expect(2, "trend", *SCOPE, "--last", "0")


if __name__ == "__main__":
    unittest.main(verbosity=2)
