"""A month that leaves the ledger for a file, seen through the commands: what is said of it, what
still works, and that it comes back."""

import json
import pathlib
import unittest

from server_case import ServerCase  # makes tests/support importable
from json_schema import check_document

SCOPE = ["--project", "p", "--workload", "w"]


# The defaults that `migrate` makes; those of a day are quoted once more.
MADE = ("greatest(now(), least(clock_timestamp(), "
        "((now() AT TIME ZONE 'UTC')::date + 1)::timestamp AT TIME ZONE 'UTC' "
        "- interval '1 microsecond'))",
        "(now() AT TIME ZONE ''UTC'')::date")


class MonthCase(ServerCase):
    """A ledger in which it may be another day."""

    @classmethod
    def pretend(cls, day):
        """From now on it is that day, for what is recorded."""
        at, on = (f"timestamptz '{day} 12:00+00'", f"date ''{day}''") if day else MADE
        month = f"SET ROLE stepledger_owner; CALL ledger_month_add('{day[:7]}-01'); " \
            "RESET ROLE;" if day else ""
        cls.primary.sql(
            f"{month} ALTER TABLE profiles ALTER recorded_at SET DEFAULT {at}; "
            "DO $$ DECLARE t text; BEGIN FOREACH t IN ARRAY ledger_monthly() LOOP "
            f"EXECUTE format('ALTER TABLE %I ALTER recorded_on SET DEFAULT {on}', t); "
            "END LOOP; END $$")

    def owner(self):
        return {"STEPLEDGER_DB": self.primary.conninfo("stepledger_owner")}


class Archive(MonthCase):
    """Two runs of January, three of today, and a verdict on one of them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.pretend("2026-01-15")
        for seed in ("1", "2"):
            case.take(seed)
        cls.pretend(None)
        for seed in ("3", "4", "5"):
            case.take(seed)
        case.expect(0, "gate", *SCOPE, "--branch", "topic", cls.profile("c", "--seed", "9"))
        case.expect(0, "gate", *SCOPE, "--branch", "topic", "--baseline", "r1",
                    cls.profile("d", "--seed", "10"))

    def take(self, seed):
        self.ingest("--branch", "main", "--run", f"r{seed}",
                    self.profile(f"m{seed}", "--seed", seed))

    def detach(self, file):
        return self.expect(0, "export", "--month", "2026-01", "--output", file, "--detach",
                           environment=self.owner()).document

    def test_the_way_of_a_month(self):
        file = self.folder / "jan.archive"
        shown = self.expect(0, "show", "p1").out
        replayed = self.expect(0, "gate", "--replay", "v2").out
        receipt = self.detach(file)
        check_document(receipt, "archive_receipt")
        self.assertEqual((receipt["profiles"], receipt["archive"]), (2, "x1"))
        self.everything_says_where_it_is(file, receipt["sha256"])
        self.what_needs_no_contents_works()
        self.everything_is_verified(file)
        self.a_second_ledger_takes_what_is_left(file)
        back = self.expect(0, "import", file, environment=self.owner()).document
        self.assertEqual(back["months"], 1)
        self.assertEqual(self.expect(0, "show", "p1").out, shown)
        self.assertEqual(self.expect(0, "gate", "--replay", "v2").out, replayed)
        self.assertNotIn("jan.archive", self.expect(0, "verify").out)
        self.expect(75, "import", file, environment=self.owner())

    def everything_says_where_it_is(self, file, sha256):
        for arguments in (("show", "p1"), ("gate", "--replay", "v2"),
                          ("gate", *SCOPE, "--baseline", "r2", "p5")):
            said = self.expect(6, *arguments).err
            self.assertIn(str(file), said)
            self.assertIn(sha256[:12], said)
            self.assertIn("stepledger import", said)

    def what_needs_no_contents_works(self):
        verdict = self.expect(0, "gate", *SCOPE, "--branch", "topic",
                              self.profile("e", "--seed", "11")).document
        self.assertEqual(verdict["baseline"]["profile_ids"], ["p3", "p4", "p5"])
        self.assertIn("archived", verdict["baseline"]["why"])
        points = self.expect(0, "trend", *SCOPE, "--branch", "main").document["points"]
        self.assertEqual([point["archived"] for point in points], [True, True] + 3 * [False])
        self.assertIn("archived", self.expect(0, "trend", *SCOPE, "--format", "text").out)
        entries = self.expect(0, "log", "--format", "json").document["entries"]
        self.assertIn("archive", {entry["kind"] for entry in entries})

    def everything_is_verified(self, file):
        said = self.expect(0, "verify").out
        self.assertRegex(said, "clean\n2026-01: the contents of 2 profiles are in .*not looked at")
        self.assertIn("verified", self.expect(0, "verify", "--archive", file).out)
        report = self.expect(0, "verify", "--archive", file, "--format", "json").document
        self.assertEqual([a["verified"] for a in report["archives"]], [True])
        check_document(report, "verify")
        bad = self.folder / "bad.archive"
        changed = bytearray(file.read_bytes())
        changed[len(changed) // 2] ^= 1
        bad.write_bytes(changed)
        self.assertIn("changed", self.expect(1, "verify", "--archive", bad).out)
        self.assertIn("torn", self.torn(file, bad))
        self.expect(6, "verify", "--archive", self.folder / "nowhere")

    def torn(self, file, bad):
        bad.write_bytes(file.read_bytes()[:-20])
        return self.expect(1, "verify", "--archive", bad).out

    def a_second_ledger_takes_what_is_left(self, file):
        lines = self.folder / "all.jsonl"
        self.expect(0, "export", "--output", lines)
        kept = [json.loads(line) for line in lines.read_text().splitlines()]
        for line in kept:
            check_document(line, "export")
        gone = [line for line in kept if line["type"] == "profile" and line["document"] is None]
        self.assertEqual([line["id"] for line in gone], ["p1", "p2"])
        self.assertTrue(all(line["archive"]["file"] == str(file) for line in gone))
        second = self.second("second")
        done = self.expect(0, "import", lines, environment=second)
        self.assertIn("p1", done.err)
        self.assertEqual(done.document["left_out"], 4)

    def test_says_what_it_cannot_do(self):
        file = self.folder / "no.archive"
        self.assertIn("--output", self.expect(2, "export", "--month", "2026-02").err)
        self.assertIn("--month", self.expect(2, "export", "--detach").err)
        before = sorted(self.folder.iterdir())
        self.assertIn("stepledger_owner",
                      self.expect(2, "export", "--month", "2026-01", "--output", file,
                                  "--detach").err)
        self.assertIn("is no month",
                      self.expect(65, "export", "--month", "2026-13", "--output", file, "--detach",
                                  environment=self.owner()).err)
        now, = self.primary.sql("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM')")
        self.assertIn(f"{now} is not over",
                      self.expect(65, "export", "--month", now, "--output", file, "--detach",
                                  environment=self.owner()).err)
        self.assertEqual(sorted(self.folder.iterdir()), before, "what is refused leaves no file")
        self.expect(6, "export", "--month", "1999-01", "--output", file)
        self.expect(65, "export", "--month", "January", "--output", file)
        self.expect(6, "export", "--month", "2026-01", "--output", "/nonexistent/file")


class Hosts(MonthCase):
    """Captures of several hosts, some of which come when the month of the others has left."""

    def test_hosts_of_captures_stay_and_later_ones_join(self):
        """What is kept of each host of a capture stays; the summary of a capture of one host is
        that host's document, and leaves with its month."""
        made = {workload: pathlib.Path(self.profile(workload, "--layout", "flat", "--seed", seed, *(
            part for host in ("alpha", "beta", "gamma") for part in ("--host", host))))
                for workload, seed in (("two", "21"), ("one", "22"))}
        file = self.folder / "mar.archive"

        def hosts(workload, *names):
            files = [made[workload] / f"{name}.xplane.pb" for name in names]
            row, = self.expect(0, "ingest", "--project", "q", "--workload", workload, *files
                               ).document["profiles"]
            return row["hosts"]

        self.pretend("2026-03-15")
        self.assertEqual(hosts("two", "alpha", "gamma"), ["alpha", "gamma"])
        self.assertEqual(hosts("one", "alpha"), ["alpha"])
        self.pretend(None)
        self.expect(0, "verify")
        self.expect(0, "export", "--month", "2026-03", "--output", file, "--detach",
                    environment=self.owner())
        self.assertEqual(hosts("two", "beta"), ["alpha", "beta", "gamma"])
        self.assertEqual(hosts("one", "beta"), ["beta"])
        self.expect(0, "verify")
        self.expect(0, "verify", "--archive", file)
        self.expect(0, "import", file, environment=self.owner())
        self.assertEqual(hosts("one", "gamma"), ["alpha", "beta", "gamma"])
        self.expect(0, "verify")


if __name__ == "__main__":
    unittest.main()
