#!/usr/bin/env python3
"""Every number that a report shows is its document's, in every format; and a number that is not is
found: each one that is shown is changed once."""

import copy
import csv
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

from cli_case import BINARY, ROOT

sys.path.insert(0, str(ROOT / "tests" / "support"))
import report_numbers  # noqa: E402

GOLDEN = ROOT / "tests" / "golden" / "present" / "week.trend_report.json"
FORMS = ("text", "md", "html")
DRAWS = 6
CHANGES = {"loss": "losses", "improvement": "improvements", "recovery": "recoveries",
           "suspected": "suspected", "drift": "drifts", "drifting": "drifting",
           "withdrawn": "withdrawn", "restart": "restarts"}
COUNTED = {"drift": "drifts", "drifting": "drifting", "quiet": "quiet", "new": "newcomers",
           "restart": "restarts",
           "noise": "noisiest", "false_fails": "canaries", "caught": "canaries"}
LOOKED_AT = {"runs": "run_count", "workloads": "workload_count", "series": "series_count",
             "workloads_with_runs": "reporting_workload_count",
             "series_with_runs": "reporting_series_count"}


def printed(document, form):
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(document, file)
        file.flush()
        done = subprocess.run([BINARY, "report", file.name, "--format", form], check=True,
                              capture_output=True, timeout=60)
    return done.stdout.decode()


def rich(seed):
    """The stored report with more findings, and with other numbers of any size."""
    chance, document = random.Random(seed), json.loads(GOLDEN.read_text(encoding="utf-8"))
    loss = document["losses"][0]
    for number in range(2):
        better = copy.deepcopy(loss)
        better.update(loss=False, course=None, workload=f"better-{number}", commits_in_range=3 * 7)
        better["ops"] += copy.deepcopy(loss["ops"]) * 2
        document["improvements"].append(better)
    back = copy.deepcopy(document["improvements"][0])
    back.update(takes_back="p7", takes_back_utc="2026-01-05T07:00:00.000000Z", workload="back")
    document["recoveries"] += [back, dict(copy.deepcopy(back), went_away=True),
                               dict(copy.deepcopy(back), rest=1, workload="nearly back")]
    gone = dict(copy.deepcopy(loss), went_away=True, workload="gone", course=None)
    document["losses"] += [gone, dict(copy.deepcopy(gone), rest=1),
                           dict(copy.deepcopy(loss), undone=1, undone_by="p90", course=None,
                                undone_utc="2026-01-05T07:00:00.000000Z")]
    document["drifts"] += [dict(copy.deepcopy(document["drifts"][0]), course=None, told={
        "report": "rp3", "until_utc": "2026-01-05T07:00:00.000000Z", "before": 1000,
        "after": 1000 * chance.uniform(.5, 2)})]
    document["drifting"] += [dict(copy.deepcopy(document["drifts"][0]), course=None),
                             copy.deepcopy(document["drifts"][1])]
    document["returns"].append({
        "workload": "returned", "branch": None, "series": "s9", "last_profile": "p3",
        "last_utc": "2026-01-05T07:00:00.000000Z", "first_profile": "p9",
        "first_utc": "2026-02-05T07:00:00.000000Z", "silent_hours": 744})
    document["canaries"] += copy.deepcopy(document["canaries"])
    document["withdrawn"] = [{
        "workload": "untold", "branch": None, "series": "s9", "measure": loss["measure"],
        "unit": loss["unit"], "entry": "k7", "at_profile": "p5", "at_commit": None,
        "at_utc": "2026-01-05T07:00:00.000000Z", "before": 10000 * chance.uniform(.5, 2),
        "after": 10000 * chance.uniform(.5, 2), "change_pct": chance.uniform(-50, 90),
        "why": "the runs up to then did not show it any more"}]
    document["withdrawn"].append(dict(document["withdrawn"][0], entry=None, told_in="rp3"))
    document["withdrawn"].append(dict(
        document["withdrawn"][0], workload="moved", entry=None, why="runs show it there",
        after=10000 * chance.uniform(.5, 2), moved_to={
            "at_profile": "p4", "after_profile": "p3", "after_commit": None,
            "after_utc": "2026-01-03T07:00:00.000000Z", "until_profile": "p4",
            "until_commit": None, "until_utc": "2026-01-04T07:00:00.000000Z"}))
    document["mfu"] = [{"workload": "used", "branch": None, "now": chance.random(),
                        "before": chance.random()},
                       {"workload": "other", "branch": None, "now": chance.random(),
                        "before": None}]
    document["quiet"] += [dict(document["quiet"][0], workload="other")]
    other_numbers(document, chance)
    return document


def other_numbers(document, chance):
    for change in (document["losses"] + document["improvements"] + document["recoveries"]
                   + document["suspected"]):
        size = 10 ** chance.uniform(-1, 9)
        change.update(before=size, after=size * chance.uniform(.5, 2),
                      change_pct=chance.uniform(-99, 900), low_pct=chance.uniform(-50, 5),
                      high_pct=chance.uniform(5, 50))
        for member, whole in (("rest", size * chance.choice((-1, 1))), ("undone", 1)):
            if change.get(member) is not None:
                change[member] = whole * chance.uniform(.01, .2)
        for op in change["ops"]:
            op.update(before_us=size * chance.random(), after_us=size * chance.random(),
                      share_pct=chance.uniform(-20, 130))
            op["delta_us"] = op["after_us"] - op["before_us"]
    for quiet in document["quiet"]:
        quiet.update(usual_hours=chance.uniform(.6, 100), silent_hours=chance.uniform(20, 900))
    for canary in document["canaries"]:
        canary.update(false_fail=chance.random(), caught=chance.random())
    for count in document["verdicts"]:
        count["count"] = chance.randrange(0, 3000)


class Numbers(unittest.TestCase):
    def test_every_number_is_the_document_s(self):
        for seed in range(DRAWS):
            document = rich(seed)
            for form in FORMS:
                self.assertIsNone(report_numbers.contradiction(
                    document, printed(document, form), form))

    def test_headlines_have_numbers_of_the_report(self):
        document = json.loads(GOLDEN.read_text(encoding="utf-8"))
        self.assertIsNone(report_numbers.headline_contradiction(document))
        document["headlines"][1] = document["headlines"][1].replace("5.3 %", "5.4 %")
        self.assertIsNotNone(report_numbers.headline_contradiction(document))

    def test_a_number_that_is_changed_is_found(self):
        document = rich(1)
        shown = {path for of in report_numbers.expected_of(document).values() for one in of
                 for _, _, path in one.items if path is not None}
        self.assertGreater(len(shown), 70)
        holders = {}

        def walk(value):
            if isinstance(value, dict):
                holders[id(value)] = value
            for item in value.values() if isinstance(value, dict) else value:
                if isinstance(item, (dict, list)):
                    walk(item)
        walk(document)
        for number, (holder, member) in enumerate(sorted(shown)):
            kept = holders[holder][member]
            more = kept * 1.4 + 1
            holders[holder][member] = int(more) if isinstance(kept, int) else more
            form = FORMS[number % len(FORMS)]
            page = printed(document, form)
            holders[holder][member] = kept
            self.assertIsNotNone(report_numbers.contradiction(document, page, form),
                                 f"{member} of {kept} in {form}")

    def test_csv_has_the_document_s_numbers(self):
        document = rich(2)
        rows = list(csv.DictReader(io.StringIO(printed(document, "csv"))))
        moved = [gone for gone in document["withdrawn"] if "moved_to" in gone]
        document["withdrawn"] = [gone for gone in document["withdrawn"] if gone not in moved]
        for kind, changes in [*((kind, document[name]) for kind, name in CHANGES.items()),
                              ("moved", moved)]:
            of = [row for row in rows if row["kind"] == kind]
            self.assertEqual(len(of), len(changes))
            for row, change in zip(of, changes):
                for member in ("before", "after", "change_pct", "low_pct", "high_pct"):
                    self.assertEqual(float(row[member]) if row[member] else None,
                                     change.get(member), (kind, member))
                for member in ("rest", "undone"):
                    self.assertEqual(float(row[member]) if row[member] else None,
                                     change.get(member), (kind, member))
                told = change.get("told") or {"report": change.get("told_in")}
                self.assertEqual(row["told_in"] or None, told["report"])
                self.assertEqual([float(row[f"told_{side}"]) for side in ("before", "after")
                                  if row[f"told_{side}"]],
                                 [told[side] for side in ("before", "after") if side in told])
                if kind not in ("drift", "drifting", "moved"):
                    self.assertEqual(row["at_profile"], change["at_profile"])
                self.assertEqual(row["command"] or None, change.get("command"))
                share = change["ops"][0]["share_pct"] if change.get("ops") else None
                self.assertEqual(float(row["op_share_pct"]) if row["op_share_pct"] else None, share)
        for kind, name, member in (("verdicts", "verdicts", "count"),
                                   ("noise", "noisiest", "noise_pct")):
            self.assertEqual([float(row["after"]) for row in rows if row["kind"] == kind],
                             [item[member] for item in document[name]])
        for kind, name in COUNTED.items():
            self.assertEqual([int(row["runs"]) for row in rows if row["kind"] == kind],
                             [item["run_count"] for item in document[name]])
        for kind in ("false_fails", "caught"):
            self.assertEqual([int(row["windows"]) for row in rows if row["kind"] == kind],
                             [canary["window_count"] for canary in document["canaries"]])
        for kind, member in LOOKED_AT.items():
            self.assertEqual([int(row["after"]) for row in rows if row["kind"] == kind],
                             [document[member]])
        for kind, member in (("false_fails", "false_fail"), ("caught", "caught")):
            told = [float(row["after"]) for row in rows if row["kind"] == kind]
            self.assertEqual(len(told), len(document["canaries"]))
            for value, canary in zip(told, document["canaries"]):
                self.assertAlmostEqual(value, 100 * canary[member])


if __name__ == "__main__":
    unittest.main()
