#!/usr/bin/env python3
"""What was captured when: a folder of old profiles that is taken in today is history in the order
in which its code ran, with the dates of then.
"""

import datetime
import unittest

from cli_case import LedgerCase

RUNS, SLOW_FROM = 26, 17
FIRST = datetime.datetime(2026, 1, 5, 6, tzinfo=datetime.timezone.utc)  # of make_profile.py
EVERY = datetime.timedelta(minutes=97)


def begin_of(seed):
    return FIRST + seed * EVERY


class Captured(LedgerCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for seed in range(1, RUNS + 1):
            slow = ["--slow-op", "attention=1.6"] if seed >= SLOW_FROM else []
            # names in another order than that in which they ran
            cls.profile(f"{seed * 7 % 27:02}-of-{seed}", "--kind", "tpu", "--seed", str(seed),
                        *slow)

    def trend(self, *options):
        done = self.expect(0, "trend", "--project", "p", "--workload", "w", *options)
        return " ".join(done.out.split()) if "text" in options else done.document

    def test_a_folder_of_old_profiles_has_its_dates_and_its_order(self):
        self.ingest("--branch", "main", str(self.folder / "profiles"))
        points = self.trend()["points"]
        self.assertEqual(len(points), RUNS)
        for seed, point in enumerate(points, 1):
            self.assertEqual(point["ran_at_utc"][:16], f"{begin_of(seed):%Y-%m-%dT%H:%M}")
            self.assertTrue(point["captured"])
            self.assertGreater(point["recorded_at_utc"], "2026-06")
            self.assertEqual(point["profile_id"], f"p{seed}")
        self.assertIn("times are those of capture", self.trend("--format", "text"))
        some = self.trend("--since", begin_of(5).isoformat(), "--until", begin_of(9).isoformat())
        self.assertEqual([point["profile_id"] for point in some["points"]],
                         ["p5", "p6", "p7", "p8"])
        [change] = [one for one in self.trend()["courses"][0]["changes"]
                    if one["tier"] == "confirmed"]
        self.assertEqual(change["at_profile"], f"p{SLOW_FROM}")
        self.assertEqual(change["at_utc"][:10], f"{begin_of(SLOW_FROM):%Y-%m-%d}")

    def test_b_a_report_by_hand_is_of_what_ran_in_its_period(self):
        last = begin_of(RUNS + 1).isoformat()
        for since, losses in ((FIRST.isoformat(), 1), (begin_of(RUNS - 1).isoformat(), 0)):
            report = self.expect(0, "report", "--project", "p", "--since", since, "--until", last,
                                 "--format", "json").document
            self.assertEqual(len(report["losses"]), losses)
        self.assertEqual(report["run_count"], 2)
        page = self.expect(0, "report", "--project", "p", "--period", "week", "--format",
                           "text").out
        self.assertIn("0 runs", " ".join(page.split()))

    def test_c_one_that_comes_late_stands_where_it_ran(self):
        before = [point["profile_id"] for point in self.trend()["points"]]
        late = self.profile("late", "--kind", "tpu", "--seed", "40")
        self.ingest("--branch", "main", "--captured-at", "2025-12-24T18:00:00+01:00", late)
        point, *others = self.trend()["points"]
        self.assertEqual([one["profile_id"] for one in others], before)
        self.assertEqual((point["ran_at_utc"], point["captured"]),
                         ("2025-12-24T17:00:00.000000Z", True))
        shown = self.expect(0, "show", point["profile_id"], "--format", "json").document["ledger"]
        self.assertEqual(shown["captured_at_utc"], point["ran_at_utc"])
        for noun in ("runs", "profiles"):
            row = self.expect(0, "list", noun, "--format", "json").document["rows"][0]
            self.assertEqual(row["captured_at_utc"], point["ran_at_utc"])
        facts = {fact["name"]: (fact["value"], fact["source"]) for fact in self.expect(
            0, "show", point["profile_id"], "--format", "json").document["environment"]["facts"]}
        self.assertEqual(facts["captured_at"], (point["ran_at_utc"], "option"))

    def test_e_a_series_that_is_not_there_gets_its_own_advice(self):
        for options, more in (([], "; --branch B shows another"), (["--all-branches"], "")):
            said = self.expect(6, "trend", "--project", "p", "--workload", "w", "--series",
                               "s999", *options).err
            self.assertIn("workload 'w', series s999", said)
            self.assertIn("; `stepledger list series` says which there are" + more, said)

    def test_help_says_how_a_time_is_corrected(self):
        self.assertIn("--captured-at and --reason", " ".join(self.expect(0, "help", "amend")
                                                             .out.split()))

    def test_d_what_is_no_time_is_refused(self):
        path = self.profile("other", "--kind", "tpu", "--seed", "41")
        for options, words in (
                (["--captured-at", "yesterday"], "option --captured-at: 'yesterday' is no time"),
                (["--captured-at", "2199-01-01"], "--captured-at: 2199-01-01 is still to come"),
                (["--captured-at", "0001-01-01"], "--captured-at: 0001-01-01 is before 1970"),
                (["--meta", "captured_at=2199-01-01T00:00:00.000000Z"],
                 "captured_at is '2199-01-01T00:00:00.000000Z', which is still to come: say "),
                (["--meta", "captured_at=0001-01-01T00:00:00.000000Z"],
                 "which is before 1970: say "),
                (["--meta", "captured_at=2026-02-03"], "the fact captured_at is '2026-02-03'")):
            done = self.call("ingest", "--project", "p", "--workload", "w", *options, path)
            self.assertIn(words, done.err + done.out)
            self.assertNotEqual(done.code, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
