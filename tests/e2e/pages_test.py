#!/usr/bin/env python3
"""Pages with pictures: every number that is drawn is the document's, and a browser (when Chromium
is installed) shows all of it at 1280 and 400 px without a complaint, a request, or words that lie
over each other."""

import csv
import io
import json
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree

from cli_case import ROOT
from judge_case import SCOPE, JudgeCase

sys.path.insert(0, str(ROOT / "tests" / "support"))
import browser  # noqa: E402
import report_numbers  # noqa: E402

REPORT = ROOT / "tests" / "golden" / "present" / "week.trend_report.json"
SUMMARY = ROOT / "tests" / "golden" / "present" / "slower.summary.json"
OPS_DRAWN = 14
PARTS_NAMED = 6  # beside the others and idle time
SMALLEST_LETTERS_PX = 9

# Of each picture that can be seen: its box, and the boxes of its words.
SEEN = """[...document.querySelectorAll('svg.picture')].filter(svg => svg.getClientRects().length)
  .map(svg => { const box = r => [r.left, r.top, r.right, r.bottom];
    const drawn = svg.getBoundingClientRect();
    return {title: svg.getAttribute('aria-label'), box: box(drawn),
      letters: 12 * drawn.width / svg.viewBox.baseVal.width,
      words: [...svg.querySelectorAll('text')].map(t => [t.firstChild.textContent,
        t.classList.contains('halo'), box(t.getBoundingClientRect())])}; })"""


def pictures(html):
    """The pictures for wide windows: elements by their titles."""
    found = re.findall(r'<div class="wide">(<svg.*?</svg>)</div>', html, re.S)
    trees = [ElementTree.fromstring(svg) for svg in found]
    return {tree.get("aria-label"): tree for tree in trees}


def words_of(tree):
    return [text.text for text in tree.iter("text")]


class Pages(JudgeCase):
    """A ledger with a branch whose attention is slower."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 6)
        cls.runs("topic", 3, "--slow-op", "attention=1.6", first=21)
        case = cls()
        cls.html = case.expect(1, "gate", *SCOPE, "--format", "html", "--commit", f"{21:040x}",
                               "topic-21", "topic-22", "topic-23").out
        cls.verdicts = 1
        cls.verdict = case.expect(0, "show", "v1").document
        cls.pages = {
            "gate": cls.html,
            "show": case.expect(0, "show", "v1", "--format", "html").out,
            "profile": case.expect(0, "show", "p1", "--format", "html").out,
            "trend": case.expect(0, "trend", *SCOPE, "--all-branches", "--format", "html").out,
            "ops": case.expect(0, "trend", *SCOPE, "--group-by", "op", "--format", "html").out,
            "report": case.expect(0, "report", REPORT, "--format", "html").out,
            "summary": case.expect(0, "report", SUMMARY, "--format", "html").out,
        }

    def assert_shown(self, words, wanted_us):
        shown, open_us = report_numbers.microseconds(words)
        self.assertLessEqual(abs(shown - wanted_us), open_us, f"{words} for {wanted_us} us")

    def assert_falls(self, tree, deltas):
        """Names and numbers are those of the deltas, and bars begin where the one before ended."""
        bars = [(float(rect.get("x")), float(rect.get("width"))) for rect in tree.iter("rect")]
        words = words_of(tree)
        self.assertEqual(len(bars), len(deltas) + 1)
        total = sum(delta for _, delta in deltas)
        first, width = bars[-1]
        scale = width / abs(total)
        at = first if total > 0 else first + width
        for (name, delta), (left, width) in zip(deltas, bars):
            place = words.index(name)
            self.assert_shown(words[place + 1], delta)
            self.assertAlmostEqual(width, max(abs(delta) * scale, 1), delta=0.05)
            self.assertAlmostEqual(left, min(at, at + delta * scale), delta=0.05)
            at += delta * scale
        self.assert_shown(words[words.index("the step") + 1], total)

    def test_a_fall_adds_up_to_what_the_step_gained(self):
        moved = [op for op in self.verdict["ops"] if op["change"] not in ("unchanged", "shifted")]
        moved.sort(key=lambda op: (-abs(op["delta_us"]), op["signature"]))
        balance = self.verdict["balance"]
        rows = [(op["name"], op["delta_us"]) for op in moved[:OPS_DRAWN]]
        self.assertGreater(len(rows), 0)
        others = balance["ops_delta_us"] - sum(delta for _, delta in rows)
        rows += [("all other ops", others), ("idle", balance["idle_delta_us"]),
                 ("not explained", balance["residual_us"])]
        tree = pictures(self.html)["What the step gained, per step and device (means over steady "
                                   "steps)"]
        self.assert_falls(tree, rows)
        self.assert_shown(words_of(tree)[words_of(tree).index("the step") + 1],
                          balance["step_delta_us"])

    def test_parts_of_a_step_are_those_of_the_verdict(self):
        tree = pictures(self.html)["Where a step's time goes, by category of op"]
        told = [re.fullmatch(r"(.*?) ([\d.]+ \S+) -> ([\d.]+ \S+)", words)
                for words in words_of(tree)]
        parts = {match[1]: match.groups()[1:] for match in told if match}
        groups = [group for group in self.verdict["groups"] if group["kind"] == "category"]
        groups.sort(key=lambda group: -max(group["before_us"], group["after_us"]))
        self.assertGreater(len(groups), PARTS_NAMED)
        wanted = {group["name"]: (group["before_us"], group["after_us"])
                  for group in groups[:PARTS_NAMED]}
        wanted["other"] = [sum(group[side] for group in groups[PARTS_NAMED:])
                           for side in ("before_us", "after_us")]
        idle = next(m for m in self.verdict["measures"] if m["name"] == "step_idle")
        wanted["idle"] = (idle["before"], idle["after"])
        self.assertEqual(set(parts), set(wanted))
        for name, sides in wanted.items():
            for words, value in zip(parts[name], sides):
                self.assert_shown(words, value)

    def test_steps_spread_as_the_verdict_has_them(self):
        tree = pictures(self.html)["How long steady steps took, of all runs of each side"]
        bins = self.verdict["step_times"]
        told = {}
        for rect in tree.iter("rect"):
            if rect.find("title") is None:
                continue
            side, steps = re.match(r"(\w+), .*: (\d+) steps", rect.find("title").text).groups()
            told.setdefault(side, []).append((int(steps), float(rect.get("height"))))
        self.assertEqual(set(told), {"baseline", "candidate"})
        for side, bars in told.items():
            counts = [bin[side] for bin in bins if bin["until_us"] is not None and bin[side] > 0]
            self.assertEqual([steps for steps, _ in bars], counts)
            self.assertEqual(sum(bin[side] for bin in bins), self.verdict[side]["step_count"])
            share = bars[0][1] / bars[0][0]
            for steps, height in bars:
                self.assertAlmostEqual(height, share * steps, delta=0.05 * steps)

    def assert_runs(self, tree, points):
        """A mark for each, with its run, value and verdict; hollow when it is set aside."""
        marks = [(path.find("title").text, path.get("class").split())
                 for path in tree.iter("path") if path.find("title") is not None]
        self.assertEqual(len(marks), len(points))
        for (title, classes), point in zip(marks, points):
            is_outlier = point.get("outlier", False)
            self.assertEqual(("hollow" in classes, "far from its neighbours" in title),
                             (is_outlier, is_outlier))
            run, value = re.match(r"(.*?): ([\d.]+ \S+?)[,;]", title).groups()
            self.assertEqual(run, point["run"])
            self.assert_shown(value, point["value"])
            self.assertEqual(point["verdict"] is None, ", " not in title.partition(";")[0])

    def test_a_trend_draws_every_run(self):
        document = self.expect(0, "trend", *SCOPE, "--all-branches").document
        [tree] = [tree for title, tree in pictures(self.pages["trend"]).items()
                  if title.startswith("step time of ")]  # beside what a change is made of
        self.assert_runs(tree, document["points"])

    def trend_rows(self, form):
        """What the rows of runs say in that format, newest first: value, change."""
        page = self.expect(0, "trend", *SCOPE, "--all-branches", "--format", form).out
        rows = [re.search(r" ((?:main|topic)-\d+) .*? (\d\S* \S?s)(?: +([+-][\d.]+ %))?", line)
                for line in (report_numbers.bare(line.replace("µ", "u")) for line in
                             report_numbers.lines_of(page.replace("</td><td", "</td> <td"), form))
                if re.match(r"\W*\d{4}-\d\d-\d\d \d\d:\d\d", line)]
        return [row.groups() for row in rows]

    def test_every_number_of_a_trend_is_its_document_s(self):
        points = self.expect(0, "trend", *SCOPE, "--all-branches").document["points"][::-1]
        for form in ("text", "md", "html"):
            rows = self.trend_rows(form)
            self.assertEqual([run for run, _, _ in rows], [point["run"] for point in points])
            for (_, value, change), point, before in zip(rows, points, [*points[1:], None]):
                self.assert_shown(value.replace("us", "µs"), point["value"])
                if before is None or before["series"] != point["series"]:
                    self.assertIsNone(change)
                    continue
                of = 100 * (point["value"] / before["value"] - 1)
                self.assertAlmostEqual(float(change.removesuffix(" %")), of, delta=.05001)
        table = list(csv.DictReader(io.StringIO(
            self.expect(0, "trend", *SCOPE, "--all-branches", "--format", "csv").out)))
        self.assertEqual([(row["run"], float(row["value"])) for row in table],
                         [(point["run"], point["value"]) for point in points[::-1]])

    def test_a_report_draws_its_courses_and_parts(self):
        document = json.loads(REPORT.read_text(encoding="utf-8"))
        drawn = pictures(self.pages["report"])
        loss = document["losses"][0]
        course = next(tree for title, tree in drawn.items() if title.startswith("step time of"))
        self.assert_runs(course, document["courses"][loss["course"]]["points"])
        for level in document["courses"][loss["course"]]["levels"]:
            labels = [words for words in words_of(course) if re.fullmatch(r"[\d.]+ ms", words)]
            self.assertTrue(any(abs(report_numbers.microseconds(words)[0] - level["right"]) <=
                                report_numbers.microseconds(words)[1] for words in labels))
        parts = next(tree for title, tree in drawn.items() if "longer or shorter" in title)
        self.assert_falls(parts, [(part["name"], part["after_us"] - part["before_us"])
                                  for part in loss["parts"]])

    def test_a_report_draws_where_the_time_goes_and_how_steps_spread(self):
        loss = json.loads(REPORT.read_text(encoding="utf-8"))["losses"][0]
        drawn = pictures(self.pages["report"])
        [stack] = [tree for title, tree in drawn.items() if "by category of op" in title]
        told = [re.fullmatch(r"(.*?) ([\d.]+ \S+) -> ([\d.]+ \S+)", words)
                for words in words_of(stack)]
        parts = {match[1]: match.groups()[1:] for match in told if match}
        *categories, rest = [(part["name"], part["before_us"], part["after_us"])
                             for part in loss["categories"]]
        wanted = [*categories[:PARTS_NAMED],
                  ("other", *(sum(part[side] for part in categories[PARTS_NAMED:])
                              for side in (1, 2))), rest]
        self.assertEqual(set(parts), {name for name, _, _ in wanted})
        for name, *sides in wanted:
            for words, value in zip(parts[name], sides):
                self.assert_shown(words, value)
        for side, member in ((1, "before"), (2, "after")):
            self.assertAlmostEqual(sum(part[side] for part in wanted), loss[member], places=6)
        [spread] = [tree for title, tree in drawn.items() if "Steady steps of" in title]
        for side in ("before", "after"):
            of = [re.match(r"(\w+), .*: (\d+) steps", rect.find("title").text).groups()
                  for rect in spread.iter("rect") if rect.find("title") is not None]
            self.assertEqual([int(steps) for name, steps in of if name == side],
                             [bin[side] for bin in loss["step_times"]
                              if bin["until_us"] is not None and bin[side] > 0])
            steps, beyond = sum(bin[side] for bin in loss["step_times"]), \
                loss["step_times"][-1][side]
            [words] = [words for words in words_of(spread) if words.startswith(f"{side}: ")]
            self.assertTrue(words.startswith(f"{side}: {steps} steps, {beyond} beyond, level "),
                            words)
            self.assert_shown(words.rpartition("level ")[2], loss[side])

    def test_the_same_input_gives_the_same_bytes(self):
        for arguments in (("trend", *SCOPE, "--format", "png"), ("show", "v1", "--format", "png"),
                          ("show", "v1", "--format", "svg"), ("report", REPORT, "--format", "png")):
            first, second = (self.folder / name for name in ("first", "second"))
            for path in (first, second):
                with open(path, "wb") as out:
                    self.expect(0, *arguments, stdout=out)
            self.assertEqual(first.read_bytes(), second.read_bytes())
            start = b"<svg " if "svg" in arguments else b"\x89PNG\r\n\x1a\n"
            self.assertTrue(first.read_bytes().startswith(start), arguments)

    # ---- in a browser ----------------------------------------------------------------------------

    def assert_readable(self, picture, where):
        """Letters are large enough, no word is clipped, none lies over another."""
        left, top, right, bottom = picture["box"]
        self.assertGreaterEqual(picture["letters"], SMALLEST_LETTERS_PX, where)
        boxes = []
        for words, is_over, box in picture["words"]:
            inside = (box[0] >= left - 1 and box[1] >= top - 1 and box[2] <= right + 1 and
                      box[3] <= bottom + 1)
            self.assertTrue(inside, f"{where}: '{words}' is clipped: {box} of {picture['box']}")
            if not is_over:  # a level says its value among the marks
                boxes.append((words, box))
        for i, (words, a) in enumerate(boxes):
            for others, b in boxes[:i]:
                wide = min(a[2], b[2]) - max(a[0], b[0])
                high = min(a[3], b[3]) - max(a[1], b[1])
                self.assertFalse(wide > 1 and high > 3, f"{where}: '{words}' over '{others}'")

    def test_a_browser_shows_all_of_it(self):
        program = browser.find()
        if program is None:
            self.skipTest("no Chromium (Debian: apt install chromium)")
        counts = {"gate": 4, "show": 4, "profile": 3, "trend": 4, "ops": 0, "report": 4,
                  "summary": 3}
        self.assertEqual(set(counts), set(self.pages))
        with browser.Browser(program) as shown:
            for name, html in self.pages.items():
                path = pathlib.Path(self.folder) / f"{name}.html"
                path.write_text(html, encoding="utf-8")
                for width, dark in ((1280, False), (400, name == "gate")):
                    where = f"{name} at {width} px"
                    complaints, requests = shown.open(path, width, dark)
                    self.assertEqual((complaints, requests), ([], []), where)
                    self.assertLessEqual(shown.evaluate("document.documentElement.scrollWidth"),
                                         width, where)
                    held = shown.evaluate(  # a table that is cut says that it goes on
                        "[...document.querySelectorAll('table')].every(t => "
                        "getComputedStyle(t.parentElement).backgroundAttachment == "
                        "'local, local, scroll, scroll')")
                    self.assertTrue(held, where)
                    seen = shown.evaluate(SEEN)
                    self.assertEqual(len(seen), counts[name], where)
                    for picture in seen:
                        self.assertGreater(picture["box"][2] - picture["box"][0], 300, where)
                        self.assertLessEqual(picture["box"][2], width, where)
                        self.assert_readable(picture, f"{where}, {picture['title']}")


del JudgeCase

if __name__ == "__main__":
    unittest.main()
