"""What a gate prints and leaves for a forge, for one workload or several."""

import json
import os
import subprocess
import unittest
import xml.etree.ElementTree

from cli_case import ROOT, LedgerCase
from judge_case import SCOPE, JudgeCase

JUNIT = ROOT / "tests" / "support" / "junit_ant.xsd"


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
        shown = self.printed(1, "junit", self.slow)
        self.assert_of_ant(shown)
        suites = xml.etree.ElementTree.fromstring(shown)
        self.assertEqual(suites[0].get("failures"), "1")
        self.assertEqual(suites[0].find("testcase")[0].tag, "failure")
        suites = xml.etree.ElementTree.fromstring(self.printed(0, "junit", self.same))
        self.assertEqual((suites[0].get("failures"), suites[0].get("tests")), ("0", "1"))

    def assert_of_ant(self, shown):
        """By the narrowest schema in use, and a validator that nobody here wrote."""
        done = subprocess.run(["xmllint", "--noout", "--schema", JUNIT, "-"], input=shown,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

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
            "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output),
            "STEPLEDGER_VERDICT_URL": "https://perf.example/{verdict}"})
        self.assertIn("FAIL", summary.read_text())
        rows = output.read_text().splitlines()
        self.assertEqual(rows[:2], ["earlier=1", "verdict=fail"])
        self.assertEqual(rows[3], "exit_code=1")
        self.assertRegex(rows[2], "^verdict_id=v[0-9]+$")
        self.assertEqual(rows[4], f"report_url=https://perf.example/{rows[2].partition('=')[2]}")

    def test_waits_for_no_pipe(self):
        """Nobody reads the one; who has the other open reads nothing of it."""
        unread, held = self.folder / "unread", self.folder / "held"
        for pipe in (unread, held):
            os.mkfifo(pipe)
        reader = os.open(held, os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        result = self.expect(0, "gate", *SCOPE, "--format", "github", self.same, environment={
            "GITHUB_STEP_SUMMARY": str(unread), "GITHUB_OUTPUT": str(held)})
        type(self).verdicts += 1
        self.assertIn("variable=GITHUB_STEP_SUMMARY", result.err)
        self.assertEqual(result.err.count("it is no regular file"), 2, result.err)
        self.assertRaises(BlockingIOError, os.read, reader, 1)

    def test_tells_the_forge_of_what_could_not_be_judged(self):
        summary, output = self.folder / "errors.md", self.folder / "errors"
        forge = {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output)}
        away = ["--db", "host=/nonexistent dbname=x connect_timeout=1"]
        for code, said, arguments in ((6, "no baseline", ["--baseline-branch", "nobody"]),
                                      (69, "cannot reach the database", away)):
            result = self.expect(code, "gate", *SCOPE, "--format", "github", *arguments, self.same,
                                 environment=forge)
            self.assertRegex(result.out, f"^::error title=ERROR%3A [a-z]+::.*{said}")
            self.assertIn(said, summary.read_text())
            self.assertEqual(output.read_text().splitlines(),
                             ["verdict=error", "verdict_id=", f"exit_code={code}"])
            summary.unlink()
            output.unlink()
        result = self.expect(6, "gate", *SCOPE, "--format", "junit", "--baseline-branch", "nobody",
                             self.same)
        suites = xml.etree.ElementTree.fromstring(result.out)
        self.assertEqual((suites[0].get("errors"), suites[0].find("testcase")[0].tag),
                         ("1", "error"))
        self.assert_of_ant(result.out)
        result = self.expect(6, "gate", *SCOPE, "--baseline-branch", "nobody", self.same)
        self.assertEqual(result.out, "")

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
        for text, said in (("[a]\ncandidat = x\n", ":2: [a]: unknown key 'candidat'"),
                           ("[a]\ncandidate = x\n[b]\n", ":3: nothing stands under [b]"),
                           ("[a]\nlast = 3\nlast = 4\n", ":3: 'last' stands twice"),
                           ("[a]\nlast = 3\n[a]\nlast = 4\n", ":3: [a] stands twice"),
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

    def test_a_fail_that_cannot_be_printed_stands(self):
        """A full disk of the runner is no way out of it."""
        for full in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
            result = self.expect(1, "gate", *SCOPE, "--on-error", "pass", self.slow,
                                 environment={full: "/dev/full"})
            type(self).verdicts += 1
            self.assertIn("No space left on device", result.err)
        self.expect(0, "gate", *SCOPE, "--on-error", "pass", self.same,
                    environment={"GITHUB_OUTPUT": "/dev/full"})
        self.expect(75, "gate", *SCOPE, self.same, environment={"GITHUB_OUTPUT": "/dev/full"})
        type(self).verdicts += 2

    def test_refuses_to_replay_what_is_not_there(self):
        self.expect(6, "gate", "--replay", "v99999")
        self.expect(2, "gate", "--replay", "seven")
        self.expect(2, "gate", "--replay", "v1", self.same)


class ManyWorkloads(LedgerCase):
    """More than a forge shows of one step."""

    WORKLOADS, SHOWN_MAX = 160, 1 << 20

    def test_leaves_the_table_alone_when_the_whole_is_too_long(self):
        self.ingest("--branch", "main", *(
            self.profile(f"main-{run}", "--seed", str(run)) for run in range(2)))
        wordy = (f"--add-op={'x' * 900}_{op}:900" for op in range(8))
        slow = self.profile("slow", "--seed", "9", "--slow-op", "attention=1.6", *wordy)
        matrix, summary = self.folder / "many.conf", self.folder / "many.md"
        matrix.write_text("".join(f"[job-{number}]\nworkload = w\ncandidate = {slow}\n"
                                  for number in range(self.WORKLOADS)))
        shown = self.expect(1, "gate", "--project", "p", "--matrix", matrix, "--format", "github",
                            environment={"GITHUB_STEP_SUMMARY": str(summary)}).out.splitlines()
        self.assertEqual(len(shown), 10)  # a step shows ten errors
        one = self.expect(1, "gate", *SCOPE, "--format", "md", slow).out
        self.assertGreater(self.WORKLOADS * len(one.encode()), self.SHOWN_MAX)
        text = summary.read_text()
        self.assertLess(len(text.encode()), self.SHOWN_MAX)
        self.assertEqual(text.count("| FAIL |"), self.WORKLOADS)
        self.assertNotIn("**Why**", text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
