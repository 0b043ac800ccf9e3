"""Numbers that reports and verdicts name (s3, p12, v4, rp2) are those of an export in a ledger that
was empty before it: what was recorded is made again there. In one that was not, that is said."""

import datetime
import json
import unittest

from queue_case import QueueCase  # makes tests/support importable
from json_schema import check_document

DAY = datetime.timedelta(days=1)


class ImportNumbers(QueueCase):
    """Workloads of which profiles were amended, numbers that were used up, a report of each half
    and verdicts."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.taken = 0
        cls.began = datetime.datetime.now(datetime.timezone.utc) - 10 * DAY
        case = cls()
        for seed in range(1, 5):
            case.take("a", seed)
        case.take("b", 5)
        case.expect(0, "amend", "p1", "--workload", "z", "--reason", "it was another")
        case.take("c", 6)
        case.gate("p4")
        case.report()
        case.use_up_numbers()
        for seed in range(7, 10):
            case.take("b", seed)
        case.take("d", 10)
        case.expect(0, "amend", "p5", "--workload", "a", "--reason", "it was another")
        case.gate("p3")
        case.report()
        cls.file = cls.folder / "all.jsonl"
        case.expect(0, "export", "--output", cls.file)
        cls.lines = list(map(json.loads, cls.file.read_text().splitlines()))

    def take(self, workload, seed):
        type(self).taken += 1
        at = self.began + self.taken * DAY / 4
        self.expect(0, "ingest", "--project", "p", "--workload", workload, "--branch", "main",
                    "--captured-at", f"{at:%Y-%m-%dT%H:%M:%SZ}",
                    self.profile(f"m{seed}", "--kind", "tpu", "--seed", seed))

    def gate(self, profile):
        self.expect(0, "gate", "--project", "p", "--workload", "a", "--branch", "topic", profile)

    def report(self):
        self.expect(0, "report", "--project", "p", "--since", f"{self.began:%Y-%m-%d}", "--record")

    def use_up_numbers(self, url=None):
        """As appends do that do not end."""
        for row in ("series (project_id, workload, definition_version) VALUES (1, 'x', 3)",
                    "reports (project_id, since_at, until_at, document) VALUES (1, 'yesterday', "
                    "'today', '{}')",
                    "profiles (project_id, series_id, run, trace_sha256, schema_version) VALUES "
                    "(1, 1, 'r', sha256('x'), 'v')"):
            self.query(f"BEGIN; INSERT INTO stepledger.{row}; ROLLBACK", url)
        self.query("SELECT nextval('stepledger.verdicts_id_seq')", url)

    def printed(self, *arguments, **more):
        """Without the times at which this ledger took it in."""
        document = self.expect(0, "list", *arguments, "--format", "json", **more).document
        for row in document["rows"]:
            row.pop("recorded_at_utc", None)
        return document

    def same(self, second):
        for noun in ("series", "profiles", "verdicts", "reports"):
            self.assertEqual(self.printed(noun, environment=second), self.printed(noun), noun)
        for row in self.printed("reports")["rows"]:
            said = ("report", row["report"], "--again", "--format", "json")
            self.assertEqual(self.expect(0, *said, environment=second).out,
                             self.expect(0, *said).out)
        for row in self.printed("verdicts")["rows"]:
            self.expect(0, "gate", "--replay", row["verdict"], environment=second)
        self.expect(0, "verify", environment=second)

    def test_all_have_the_numbers_that_they_had(self):
        for line in self.lines:
            check_document(line, "export")
        self.assertEqual([line["id"] for line in self.lines if line["type"] == "series"],
                         ["s1", "s2", "s3", "s4", "s6"])
        self.assertEqual([line["id"] for line in self.lines if line["type"] == "profile"][5:7],
                         ["p6", "p8"])
        self.assertEqual([line["id"] for line in self.lines if line["type"] == "report"],
                         ["rp1", "rp3"])
        second, again = self.second("same"), self.folder / "again.jsonl"
        done = self.expect(0, "import", self.file, environment=second)
        self.assertEqual((done.err, done.document["profiles"]), ("", 10))
        self.same(second)
        self.expect(0, "export", "--output", again, environment=second)
        self.assertEqual(again.read_text(), self.file.read_text())
        done = self.expect(0, "import", self.file, environment=second)
        self.assertEqual((done.err, done.document["profiles"], done.document["verdicts"]),
                         ("", 0, 0))
        self.same(second)

    def test_one_that_was_broken_off_goes_on(self):
        second, part = self.second("part"), self.folder / "part.jsonl"
        part.write_text("".join(self.file.read_text().splitlines(True)[:9]))
        self.expect(0, "import", "--unsealed", part, environment=second)
        self.assertEqual(self.expect(0, "import", self.file, environment=second).err, "")
        self.same(second)

    def test_one_that_was_killed_says_which_number_is_gone(self):
        second, part = self.second("killed"), self.folder / "killed.jsonl"
        part.write_text("".join(self.file.read_text().splitlines(True)[:9]))
        self.expect(0, "import", "--unsealed", part, environment=second)
        self.use_up_numbers(self.expect(0, "db", "url", environment=second).out.strip())
        done = self.expect(0, "import", self.file, environment=second)
        self.assertEqual(done.err.count("event="), 1, done.err)
        self.assertRegex(done.err, r"p\d+ of the export is p\d+ here: its number was taken, or "
                                   "used up by an append that was broken off")
        self.expect(0, "verify", environment=second)

    def test_a_ledger_that_holds_more_says_so(self):
        second = self.second("more")
        self.expect(0, "ingest", "--project", "own", "--workload", "w", self.profile("m1"),
                    environment=second)
        for _ in range(2):
            done = self.expect(0, "import", self.file, environment=second)
            self.assertEqual(done.err.count("event="), 1, done.err)
            self.assertIn("s1 of the export is s2 here", done.err)
        self.expect(0, "verify", environment=second)
        again = self.folder / "more.jsonl"
        self.expect(0, "export", "--output", again, environment=second)
        kept = [line["document"] for line in map(json.loads, again.read_text().splitlines())
                if line["type"] in ("report", "verdict")]
        self.assertEqual(kept, [line["document"] for line in self.lines
                                if line["type"] in ("report", "verdict")])

    def test_an_export_of_before_is_taken_as_it_was(self):
        second, older = self.second("older"), self.folder / "older.jsonl"
        lines = [line for line in self.lines if line["type"] != "series"]
        told = [{name: value for name, value in line.items()
                 if name != "id" or line["type"] != "report"} for line in lines]
        older.write_text("".join(json.dumps({**line, "parts": []}) + "\n" for line in told))
        done = self.expect(0, "import", "--unsealed", older, environment=second)
        self.assertEqual(done.err.count("event="), 1, done.err)
        self.assertEqual(done.document["profiles"], 10)
        listed = {row["workload"]: row["series"]
                  for row in self.printed("series", environment=second)["rows"]}
        self.assertEqual(listed, {"a": "s1", "z": "s2", "b": "s3", "c": "s4", "d": "s5"})
        self.expect(0, "verify", environment=second)

    def test_lines_that_no_export_has_are_refused(self):
        bad = self.folder / "bad.jsonl"
        second = self.second("bad")
        first = {"type": "export", "schema_version": "export.v1"}
        series = {"type": "series", "id": "s1", "project": "p", "workload": "w",
                  "device_type": None, "device_count": 1, "host_count": 1, "topology": None,
                  "definition_version": 3}
        profile = next(line for line in self.lines if line["type"] == "profile")
        for lines in ([{**series, "id": "p1"}], [{**series, "id": "s0"}], [series, series],
                      [{**series, "workload": ""}], [{**series, "project": None}],
                      [{**series, "definition_version": None}],
                      [{**series, "device_count": "2"}], [{**series, "device_count": -1}],
                      [{**series, "device_type": "x" * 201}], [profile, {**series, "id": "s9"}]):
            bad.write_text("".join(json.dumps(line) + "\n" for line in [first, *lines]))
            refused = self.expect(65, "import", "--unsealed", bad, environment=second)
            self.assertIn(f"bad.jsonl:{1 + len(lines)}", refused.err)
        bad.write_text(json.dumps(first) + "\n" +
                       json.dumps({**series, "workload": "far", "id": "s99999999999"}) + "\n")
        said = self.expect(0, "import", "--unsealed", bad, environment=second)
        self.assertIn("s99999999999 of the export is s", said.err)
        self.expect(0, "verify", environment=second)


if __name__ == "__main__":
    unittest.main()
