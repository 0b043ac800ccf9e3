"""What the commands print fits the JSON schemas in schema/, and each schema is met by something
that is printed. Verdicts are checked wherever one is made (judge_case.py)."""

import datetime
import json
import unittest

from judge_case import SCOPE, JudgeCase
from json_schema import FOLDER, check_document, schema_of


class Documents(JudgeCase):
    """A ledger with a past, a fail, an incomparable verdict and what people said of them."""

    checked = {"verdict"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 8)
        cls.slow = cls.profile("slow", "--seed", "80", "--slow-op", "attention=1.6")
        case = cls()
        case.gate(1, "--branch", "topic", "--commit", "c" * 40, cls.slow)
        case.gate(5, cls.profile("other", "--seed", "81", "--devices", "3"))

    @classmethod
    def tearDownClass(cls):
        files = {file.name.removesuffix(".schema.json")
                 for file in FOLDER.glob("*.schema.json")}
        super().tearDownClass()
        assert files == cls.checked, f"schemas without a document: {files ^ cls.checked}"

    def document(self, name, *arguments, code=0):
        """Runs a command and checks what it prints."""
        printed = self.expect(code, *arguments).document
        self.check(printed, name)
        return printed

    def check(self, document, name):
        check_document(document, name)
        type(self).checked = type(self).checked | {name}

    def test_of_the_drop_in_commands(self):
        paths = []
        for name in ("main-1", "slow"):
            summary = self.folder / f"{name}.json"
            paths.append(summary)
            printed = self.expect(0, "summarize", "--profile-dir", self.profile(name)).out
            summary.write_text(printed)
            self.check(json.loads(printed), "summary")
        gpu = self.profile("gpu", "--kind", "gpu", "--seed", "90")
        self.document("table", "table", "kernels", gpu, "--limit", "3")
        self.document("explanation", "explain", gpu)
        sides = ["--before", paths[0], "--after", paths[1]]
        self.document("comparison", "compare", *sides)
        self.document("ranking", "compare", *paths, "--format", "json")
        self.document("track", "track", *sides)

    def test_of_the_ledger(self):
        broken = self.folder / "broken.xplane.pb"
        broken.write_bytes(b"\xff\xff\xff\xff")
        self.document("ingest", "ingest", *SCOPE, self.profile("main-1"), broken, code=65)
        self.document("log", "log", "--format", "json")
        self.document("verify", "verify", "--format", "json")
        self.document("checkpoint", "checkpoint")
        self.expect(0, "db", "backup", self.folder / "backup")
        self.check(json.loads((self.folder / "backup" / "backup.json").read_text()), "backup")
        self.document("proof", "verify", "--proof", "p1")
        self.document("capture_env", "capture-env")
        self.document("amendment", "amend", "p1", "--label", "first", "--reason", "to find it")
        lines = [json.loads(line) for line in self.expect(0, "export").out.splitlines()]
        for line in lines:
            self.check(line, "export")
        for line in lines:
            if line["type"] == "verdict":
                self.check(json.loads(line["request"]), "gate_request")
        self.assertEqual(lines[-1]["verdicts"], sum(line["type"] == "verdict" for line in lines))
        exported = self.folder / "ledger.jsonl"
        self.expect(0, "export", "--output", exported)
        self.document("import", "import", exported)
        month = f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m}"
        self.document("archive_receipt", "export", "--month", month, "--output",
                      self.folder / "month.archive")

    def test_of_each_list(self):
        nouns = self.expect(0, "list", "--help").out.splitlines()[2].split()[-1].split("|")
        self.assertEqual(nouns, schema_of("list")["properties"]["of"]["enum"])
        for noun in nouns:
            self.document("list", "list", noun)

    def test_of_trends_and_canaries(self):
        trend = self.document("trend", "trend", *SCOPE, "--all-branches")
        self.assertGreaterEqual(len(trend["points"]), 9)
        self.document("trend", "trend", *SCOPE, "--branch", "main", "--measure", "device_skew")
        ops = self.document("trend", "trend", *SCOPE, "--all-branches", "--group-by", "op")
        self.assertGreaterEqual(len(ops["courses"]), 3)
        self.assertTrue(all(course["op"] for course in ops["courses"]))
        measures = self.document("trend", "trend", *SCOPE, "--branch", "main", "--group-by",
                                 "measure")
        self.assertIn("op_time", [course["measure"] for course in measures["courses"]])
        workloads = self.document("trend", "trend", "--project", SCOPE[1], "--branch", "main",
                                  "--group-by", "workload")
        self.assertIn(SCOPE[3], [course["workload"] for course in workloads["courses"]])
        for form in ("text", "md", "csv", "html"):
            self.expect(0, "trend", *SCOPE, "--all-branches", "--group-by", "op", "--format", form)
        self.document("canary", "canary", *SCOPE, "--runs", "1")
        series = self.folder / "series.json"
        series.write_text(json.dumps([10.0 + i % 3 * 0.01 + (i > 20) for i in range(40)]))
        self.document("change_points", "changepoints", series)

    def test_of_reports(self):
        made = self.document("trend_report", "report", "--project", SCOPE[1], "--since", "1d",
                             "--all-branches", "--record", "--format", "json")
        self.assertRegex(made["report"], "^rp[0-9]+$")
        for name in (made["report"], made["report"].replace("p", "")):
            self.assertEqual(self.document("trend_report", "report", name, "--again", "--format",
                                           "json"), made)
        kept = self.folder / "kept.json"
        kept.write_text(json.dumps(made))
        self.assertEqual(self.document("trend_report", "report", kept, "--format", "json"), made)
        self.assertEqual(self.document("list", "list", "reports")["rows"][0]["report"],
                         made["report"])
        lines = [json.loads(line) for line in self.expect(0, "export").out.splitlines()]
        self.check([line for line in lines if line["type"] == "report"][0], "export")

    def test_of_a_matrix(self):
        matrix = self.folder / "matrix.conf"
        matrix.write_text(f"[slow]\nworkload = w\ncandidate = {self.slow}\n"
                          f"[none]\nworkload = never-seen\ncandidate = main-1\n")
        arguments = ["gate", "--project", "p", "--matrix", matrix]
        self.document("verdict_matrix", *arguments, code=6)
        rows = self.expect(6, *arguments, "--format", "jsonl").out.splitlines()
        type(self).verdicts += 2
        self.assertEqual(len(rows), 2)
        whole = {"schema_version": "verdict_matrix.v1", "exit_code": 6,
                 "verdicts": [json.loads(row) for row in rows]}
        self.check(whole, "verdict_matrix")

    def test_of_what_people_decide(self):
        self.document("acceptance", "accept", "v1", "--reason", "as agreed")
        series = self.expect(0, "trend", *SCOPE).document["points"][0]["series"]
        for arguments in (["--after", "p3"], ["--at", "p4"], ["--at", "p4", "--withdraw"]):
            self.document("rebaseline", "rebaseline", series, *arguments, "--reason", "why")
        policy = self.folder / "team.policy"
        policy.write_text("policy_version = 1\n")
        self.document("policy_check", "policy", "check", policy)


if __name__ == "__main__":
    unittest.main(verbosity=2)
