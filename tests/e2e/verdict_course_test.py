#!/usr/bin/env python3
"""The runs behind a verdict, drawn on its page: each has the value of the trend's document and the
part that the verdict gives it, lines are the verdict's medians, a change of level lies where the
trend has it; and the page is the same bytes whenever it is made from that ledger."""

import re
import statistics
import sys
import unittest
import xml.etree.ElementTree as ElementTree

from cli_case import ROOT
from judge_case import SCOPE, JudgeCase

sys.path.insert(0, str(ROOT / "tests" / "support"))
from report_numbers import microseconds  # noqa: E402

RUNS, CHANGE_AT, ODD_ONE = 26, 14, 20
BAND_LEAST_PX = 5


def course_of(html):
    """The picture for wide windows; None: none is drawn."""
    found = re.findall(r'<div class="wide">(<svg.*?</svg>)</div>', html, re.S)
    trees = [ElementTree.fromstring(svg) for svg in found]
    return next((tree for tree in trees if "up to this verdict" in tree.get("aria-label")), None)


def marks_of(tree):
    """[(title, classes, x)] of the runs, from left to right."""
    return [(path.find("title").text, path.get("class").split(),
             float(re.match(r"M([\d.]+)", path.get("d"))[1]))
            for path in tree.iter("path") if path.find("title") is not None]


class VerdictCourse(JudgeCase):
    """A branch with a change of level and a run that is far off, and a slower topic."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", CHANGE_AT - 1)
        cls.runs("main", ODD_ONE - CHANGE_AT, "--slow-op", "attention=1.4", first=CHANGE_AT)
        cls.runs("main", 1, "--slow-op", "attention=2.6", first=ODD_ONE)
        cls.runs("main", RUNS - ODD_ONE, "--slow-op", "attention=1.4", first=ODD_ONE + 1)
        cls.runs("topic", 3, "--slow-op", "attention=2", first=91)
        case = cls()
        case.expect(0, "work", "schedule", "--once")
        cls.page = case.expect(1, "gate", *SCOPE, "--format", "html", "--last", "12", "--commit",
                               f"{91:040x}", "topic-91", "topic-92", "topic-93").out
        cls.verdicts = 1
        cls.verdict = case.expect(0, "show", "v1").document
        cls.trend = case.expect(0, "trend", *SCOPE, "--branch", "main").document
        cls.topic = case.expect(0, "trend", *SCOPE, "--branch", "topic").document["points"]

    def parts(self):
        """What each named profile is."""
        baseline, candidate = self.verdict["baseline"], self.verdict["candidate"]
        found = {profile: "candidate" for profile in candidate["profile_ids"]}
        found.update({profile: "baseline" for profile in baseline["profile_ids"]})
        for one in baseline["set_aside"]:
            found.update({profile: one["text"] for profile in one["profile_ids"]})
        return found

    def test_runs_are_the_trend_s_with_their_part_in_the_verdict(self):
        marks, parts = marks_of(course_of(self.page)), self.parts()
        points = [*self.trend["points"], *self.topic]
        points = points[len(points) - len(marks):]
        self.assertGreater(len(marks), len(parts))
        self.assertEqual([parts.get(point["profile_id"]) for point in points[-3:]],
                         ["candidate"] * 3)
        for (title, classes, _), point in zip(marks, points):
            run, value = re.match(r"(.*?): ([\d.]+ \S+?)[,;]", title).groups()
            part = parts.get(point["profile_id"], "not used")
            self.assertEqual(run, point["run"])
            shown, open_us = microseconds(value)
            self.assertLessEqual(abs(shown - point["value"]), open_us)
            self.assertTrue(title.endswith(f"; {part}"), (title, part))
            self.assertIn(f"commit {point['commit']}", title)
            ink = {"candidate": "other", "baseline": "bar", "not used": "soft"}.get(part, "warn")
            self.assertEqual(classes[0], ink)
        self.assertGreaterEqual(len(set(parts.values())), 3)  # one was set aside, with a reason
        self.assertEqual({mark[1][0] for mark in marks}, {"other", "bar", "soft", "warn"})

    def test_lines_are_the_medians_of_the_verdict(self):
        tree, points = course_of(self.page), {point["profile_id"]: point["value"] for point in
                                              [*self.trend["points"], *self.topic]}
        labels = [microseconds(text.text) for text in tree.iter("text")
                  if "halo" in text.get("class", "")]
        median = self.verdict["baseline"]["step_median_us"]
        self.assertTrue(any(abs(us - median) <= open_us for us, open_us in labels), labels)
        lines = [line for line in tree.iter("line") if "thick" in line.get("class").split()
                 and float(line.get("x2")) - float(line.get("x1")) > 20]
        self.assertEqual(len(lines), 2)
        for side in ("baseline", "candidate"):
            self.assertAlmostEqual(
                statistics.median(points[name] for name in self.verdict[side]["profile_ids"]),
                self.verdict[side]["step_median_us"], delta=1)

    def test_the_change_of_the_branch_lies_where_the_trend_has_it(self):
        [change] = [change for course in self.trend["courses"] for change in course["changes"]
                    if change["tier"] == "confirmed" and change["matters"]]
        tree = course_of(self.page)
        runs = {title.split(":")[0]: x for title, _, x in marks_of(tree)}
        names = {point["profile_id"]: point["run"] for point in self.trend["points"]}
        [band] = [rect for rect in tree.iter("rect") if "bad" in rect.get("class").split()
                  and float(rect.get("height")) > 100]
        self.assertIn(f"{change['change_pct']:+.1f} %", band.find("title").text)
        words = [text.text for text in tree.iter("text")]
        self.assertIn(f"{change['change_pct']:+.1f} %", words)
        # Marks are drawn from their left edge on.
        middle = float(band.get("x")) + float(band.get("width")) / 2
        between = (runs[names[change["after_profile"]]] + runs[names[change["until_profile"]]]) / 2
        self.assertLess(abs(middle - between), BAND_LEAST_PX)

    def test_the_same_page_whatever_came_later(self):
        shown = self.expect(0, "show", "v1", "--format", "html").out
        place = "Where it stands in the ledger"
        top, page = (re.sub("<title>.*?</title>", "", page.partition(place)[0])
                     for page in (shown, self.page))
        self.assertEqual(top, page)
        again = self.expect(0, "gate", "--replay", "v1", "--format", "html").out
        self.assertEqual(ElementTree.tostring(course_of(again)),
                         ElementTree.tostring(course_of(self.page)))
        self.runs("main", 3, "--slow-op", "attention=3", first=RUNS + 1)
        self.expect(0, "retract", "p5", "--reason", "found out later")
        self.expect(0, "amend", "p6", "--branch", "elsewhere", "--reason", "found out later")
        later = self.expect(0, "show", "v1", "--format", "html").out
        self.assertEqual(ElementTree.tostring(course_of(later)),
                         ElementTree.tostring(course_of(self.page)))

    def test_what_cannot_be_drawn_is_said(self):
        alone = self.profile("alone-1", "--seed", "501")
        self.ingest("--workload", "lonely", "--branch", "main", "--run", "a", "--commit",
                    f"{1:040x}", alone)
        other = self.profile("alone-2", "--seed", "502", "--devices", "1")
        page = self.call("gate", "--project", "p", "--workload", "lonely", "--format", "html",
                         "--run", "b", "--commit", f"{2:040x}", "--baseline", "a", other).out
        self.assertIsNone(course_of(page))
        self.assertIn("Not drawn: of its series the ledger holds no other run to compare it with.",
                      page)
        type(self).verdicts += 1


del JudgeCase

if __name__ == "__main__":
    unittest.main()
