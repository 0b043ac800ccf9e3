"""`compare` of many runs: one table, the fastest first, what cannot be compared apart.

What: attempts of tuning in the ledger by their label, files, verdicts and runs beside each other,
in every format; that two operands stay the reference tool's comparison. What it does not do: which
facts keep two profiles apart (compare_provenance_test.c).
"""

import csv
import io
import pty
import subprocess
import unittest

from cli_case import BINARY, LedgerCase
from json_schema import check_document

SCOPE = ["--project", "p", "--workload", "w"]
FLAGS = "xla_flags=--xla_always=1"
RAN = ["--seed", "7"]
TRIES = {  # run: how much its attention takes longer, what was told of it
    "plain": (1.3, [FLAGS, "remat_policy=full"]),
    "latency": (1.0, [FLAGS + " --xla_latency_hiding=true", "remat_policy=full"]),
    "minimal": (1.15, [FLAGS, "remat_policy=minimal", "mesh=data:2"]),
}


class Ranking(LedgerCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        for run, (factor, facts) in TRIES.items():
            metas = [word for fact in facts for word in ("--meta", fact)]
            case.tried(run, cls.profile(run, *RAN, "--slow-op", f"attention={factor}"), *metas)
        case.tried("plain", cls.profile("again", "--seed", "8", "--slow-op", "attention=1.34"))
        case.tried("larger", cls.profile("larger", *RAN, "--devices", "3"))

    def tried(self, run, path, *options):
        self.expect(0, "ingest", *SCOPE, "--label", "tuning", "--run", run, "--commit", "c" * 40,
                    *options, path)

    def ranked(self, *arguments):
        document = self.expect(0, "compare", *arguments).document
        check_document(document, "ranking")
        return document

    def test_a_label_is_a_table_of_its_runs(self):
        document = self.ranked("tuning")
        first, apart = document["groups"]
        self.assertEqual([run["name"] for run in first["runs"]], ["latency", "minimal", "plain"])
        self.assertIsNone(first["apart"])
        self.assertEqual([run["name"] for run in apart["runs"]], ["larger"])
        self.assertEqual(apart["apart"], "against latency: device_count is 3, there 2")
        self.assertEqual((document["left_out"], document["notes"]), ([], []))
        latency, minimal, plain = first["runs"]
        self.assertEqual(plain["profiles"], ["p4", "p1"])
        one, other = (self.step_us(name) for name in ("p1", "p4"))
        self.assertAlmostEqual(plain["step_us"], (one + other) / 2, places=6)
        self.assertEqual(latency["step_us"], self.step_us("latency"))
        self.assertEqual(latency["behind"], 0)
        self.assertEqual(document["by"], "steady_step_period")
        self.assertAlmostEqual(minimal["behind"], minimal["period_us"] / latency["period_us"] - 1)
        own = {run["name"]: {one["name"]: one["own"] or one["value"]
                             for one in run["differences"] if one["own"] != ""}
               for run in first["runs"]}
        self.assertEqual(own["latency"], {"xla_flags": "--xla_latency_hiding=true", "mesh": None,
                                          "remat_policy": "full"})
        self.assertEqual(own["minimal"]["mesh"], "data:2")
        self.assertEqual(own["minimal"]["remat_policy"], "minimal")
        figures = {figure["measure"]: figure for figure in latency["figures"]}
        for figure in self.summary("latency")["figures"]:
            self.assertEqual(figures[figure["measure"]], figure)

    def summary(self, name):
        return self.expect(0, "show", name).document

    def step_us(self, name):
        return self.summary(name)["steps"]["steady_median_us"]

    def test_files_and_entries_stand_side_by_side(self):
        path = self.profile("latency")
        document = self.ranked("p1", "minimal", self.profile("larger"), "p1")
        self.assertEqual([[run["name"] for run in group["runs"]] for group in document["groups"]],
                         [["minimal", "plain"], [self.profile("larger")]])
        two = self.ranked("plain", path, "--format", "json")
        self.assertEqual(two["groups"][0]["runs"][0]["name"], path)
        same = self.ranked("latency", path, "minimal")
        self.assertEqual(same["left_out"], [f"{path} is the same trace as p2"])
        pair = self.expect(0, "compare", "plain", path).document
        self.assertIn("provenance_checks", pair)
        table = self.expect(0, "compare", "p2", "--format", "text").out
        self.assertIn("1 run, which has none to be compared with", table)

    def test_every_format_tells_the_same(self):
        text = self.expect(0, "compare", "tuning", "--format", "text").out
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^FASTEST +latency, [\d.]+ ms from step to step; of 4 runs 3 "
                                   r"can be compared$")
        self.assertRegex(text, r"\n *latency +[\d.]+ ms +- ")
        self.assertRegex(text, r"\n *minimal +[\d.]+ ms +\+[\d.]+ % ")
        self.assertIn("device_count is 3, there 2.", text)
        self.assertIn("--xla_latency_hiding=true", text)
        self.assertNotIn("--xla_always", text)
        self.assertRegex(text, r"\n *Peak memory of a device +not known of any: no event of an "
                               r"allocator")
        for form, mark in (("md", "| `latency` |"), ("html", "<code>latency</code>")):
            page = self.expect(0, "compare", "tuning", "--format", form).out
            self.assertIn(mark, page)
            self.assertIn("3, there 2", page)

    def test_csv_has_a_row_a_run(self):
        document = self.ranked("tuning")
        done = self.expect(0, "compare", "tuning", "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(done.out)))
        runs = [(place, group, run) for place, group in enumerate(document["groups"], 1)
                for run in group["runs"]]
        self.assertEqual(len(rows), len(runs))
        for row, (place, group, run) in zip(rows, runs):
            self.assertNotIn(None, row)
            self.assertEqual((row["group"], row["apart"], row["name"], float(row["step_us"])),
                             (str(place), group["apart"] or "", run["name"], run["step_us"]))
            for figure in run["figures"]:
                self.assertEqual(row[figure["measure"]],
                                 "" if figure["value"] is None else str(figure["value"]))
            for told in run["differences"]:
                self.assertEqual(row[told["name"]].removeprefix("'"), told["value"] or "")

    def test_a_policy_says_what_keeps_runs_apart(self):
        policy = self.folder / "tuning.policy"
        policy.write_text("policy_version = 1\n[provenance]\nxla_flags = strict\n")
        document = self.ranked("tuning", "--policy", policy)
        self.assertEqual([[run["name"] for run in group["runs"]] for group in document["groups"]],
                         [["minimal", "plain"], ["larger"], ["latency"]])
        latency = document["groups"][2]
        self.assertRegex(latency["apart"], "^against minimal: xla_flags is .*, there ")
        for form in ("text", "md", "html", "csv"):  # flags of one that stands alone are told, too
            shown = self.expect(0, "compare", "tuning", "--policy", policy, "--format", form).out
            self.assertEqual(shown.replace("\\", "").count("--xla_latency_hiding=true"), 2, form)
        policy.write_text("policy_version = 1\n[provenance]\nxla_flag = strict\n")
        self.assertIn("xla_flag", self.expect(2, "compare", "tuning", "--policy", policy).err)

    def test_a_file_that_is_called_as_an_entry_is_told_once(self):
        (self.folder / "p1").write_text(self.expect(0, "show", "p1").out)
        for more in ([], ["p3"], ["--format", "text"]):
            done = subprocess.run([BINARY, "compare", "p1", "p2", *more], cwd=self.folder,
                                  env=self.environment, capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr.count("a file of that name is here"), 1, done.stderr)

    def test_a_terminal_gets_the_table_in_colour(self):
        master, slave = pty.openpty()
        done = subprocess.Popen([BINARY, "compare", "tuning"], env=self.environment, stdout=slave,
                                stderr=subprocess.DEVNULL)
        with open(slave, "wb", closefd=True):
            self.assertEqual(done.wait(60), 0)
            with open(master, "rb", buffering=0) as screen:
                shown = screen.read(60000).decode()
        self.assertIn("FASTEST", shown)
        self.assertIn("\033[32m", shown)

    def test_says_what_it_cannot_compare(self):
        for arguments, code, word in [
                (("nobody",), 1, "is no file, and"),
                (("--format", "text"), 2, "name what is to be compared"),
                ((), 2, "--before is required"),
                (("gone.json",), 2, "--before is required"),
                (("p1",), 2, "--before is required"),
                (("p1", "p2", "gone.json"), 1, "gone.json")]:
            with self.subTest(arguments):
                self.assertIn(word, self.expect(code, "compare", *arguments).err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
