#!/usr/bin/env python3
"""Names that somebody made to be printed: no output lets them act.

What: every string of a summary, op and host names of profiles, workloads, branches, labels and
paths hold escape sequences, line breaks, marks that turn the direction of text, commands of CI
systems, raw HTML, links and what ends a code span or a cell. Whatever a command prints to people is
then searched for what a terminal, a runner, a browser or a reader of Markdown would obey. Why: the
cleaning of one text is tested beside it (tests/unit/runtime_harmless_test.c); that every printer
uses it, only the whole program shows.
"""

import csv
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from cli_case import BINARY, ROOT, LedgerCase

SUMMARY = ROOT / "tests" / "golden" / "present" / "slower.summary.json"
COMMAND = "::error title=x::owned"
PARTS = (f"\n{COMMAND}", "\x1b[2J\x1b]0;owned\x07", "\x9b31m", "\u202egnp.exe", "\u200b",
         "##[error]owned", "##vso[task.setvariable variable=x]owned", "<script>alert(1)</script>",
         "[x](javascript:alert(1))", "`<script>alert(2)</script>`", "|<script>alert(3)</script>",
         "\\|<script>alert(4)</script>", "``x` <script>alert(5)</script>", "\u2028", "\r\n")
HOSTILE = f"{COMMAND} a{''.join(PARTS)} b"
# Members whose words are a closed list for the reader.
KEPT = ("schema_version", "source_format", "generated_at_utc", "breakdown_mode", "method",
        "duration_basis", "phase", "capture_mode")
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e"
                    "\u2060-\u206f\ufeff]")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")
CELL_END = re.compile(r"((?:[^|\\]|\\.)*)\|")
TIMEOUT_S = 60


def hostile(value, name=""):
    """The document with every string made hostile, each in its own way."""
    if isinstance(value, dict):
        return {key: hostile(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [hostile(item, name) for item in value]
    if not isinstance(value, str) or name in KEPT:
        return value
    return f"{COMMAND} {value}{PARTS[len(value) % len(PARTS)]}{HOSTILE}"


def markdown_pieces(text):
    """Cells and lines, what stands in code taken out, as GitHub parts them: cells before code."""
    for line in text.splitlines():
        cells = CELL_END.findall(line) if line.startswith("|") else [line]
        for cell in cells:
            cell = cell.replace("\\|", "|") if line.startswith("|") else cell
            cell = re.sub(r"\\([^\w\s`])", lambda mark: f"&#{ord(mark[1])};", cell)
            yield CODE_SPAN.sub("", re.sub(r"\\`", "&#96;", cell))


class HostileCase(unittest.TestCase):
    """What must not be in an output."""

    def check_lines(self, text, what):
        self.assertIsNone(HIDDEN.search(text), f"{what}: {HIDDEN.search(text)}")
        for line in text.split("\n"):
            self.assertFalse(re.match(r"\s*::[A-Za-z]", line), f"{what}: {line!r}")
            self.assertIsNone(re.search(r"##[A-Za-z]*\[", line), f"{what}: {line!r}")

    def check_markdown(self, text, what):
        self.check_lines(text, what)
        for piece in markdown_pieces(text):
            self.assertNotRegex(piece, r"<(?!!-- -->|/?details>|/?summary>)[A-Za-z/]",
                                f"{what}: {piece!r}")
            self.assertNotIn("](", piece, f"{what}: {piece!r}")

    def check_html(self, text, what):
        self.check_lines(text, what)
        self.assertNotIn("<script", text, what)

    def check(self, form, text, what):
        self.assertIn("owned", text, f"{what}: no hostile name came through at all")
        {"md": self.check_markdown, "html": self.check_html}.get(form, self.check_lines)(text, what)


class HostileSummaries(HostileCase):
    """Documents from elsewhere."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="stepledger-hostile-"))
        document = hostile(json.loads(SUMMARY.read_text(encoding="utf-8")))
        cls.path = cls.folder / "summary.json"
        cls.path.write_text(json.dumps(document), encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def call(self, *arguments):
        return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, check=False,
                              timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)

    def test_reports_show_names_and_obey_none(self):
        for form in ("md", "text", "html"):
            run = self.call("report", self.path, "--format", form, "--top-k", "100")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.check(form, run.stdout.decode(), f"report --format {form}")

    def test_bundles_hold_harmless_reports(self):
        run = self.call("bundle", self.path, self.path, "--output-dir", self.folder / "bundle")
        self.assertEqual(run.returncode, 0, run.stderr)
        for report in (self.folder / "bundle").glob("*.md"):
            self.check("md", report.read_text(encoding="utf-8"), report.name)

    def test_errors_print_no_line_of_a_path(self):
        for name in (f"a{HOSTILE.replace('/', '_')}"[:80], f"\x1b]0;owned\x07\n{COMMAND}"):
            for command in (("summarize", "--xplane-file"), ("report",)):
                path = self.folder / name
                path.write_bytes(b"owned")
                run = self.call(*command, path)
                self.assertNotEqual(run.returncode, 0)
                self.check("stderr", run.stderr.decode(), str(command))
                self.assertEqual(run.stderr.count(b"\n"), 1, run.stderr)


class HostileLedger(LedgerCase, HostileCase):
    """Names in profiles, and what people call them."""

    WORKLOAD = "w ##[error]owned <script>alert(1)</script> |`<script>`"

    def hostile_profile(self, seed, *options):
        """Names of the same length are put in place of those that the maker takes."""
        names = {"held_" + "o" * (len(HOSTILE.encode()) - 5): HOSTILE,
                 "host_" + "o" * 25: "x\n::group::owned ##[e]<script>"}
        op, host = names
        folder = self.profile(f"r{seed}", "--seed", str(seed), "--add-op", f"{op}:100", "--host",
                              host, *options)
        for path in pathlib.Path(folder).rglob("*.xplane.pb"):
            data = path.read_bytes()
            for held, name in names.items():
                self.assertEqual(len(held), len(name.encode()))
                data = data.replace(held.encode(), name.encode())
            path.write_bytes(data)
        return folder

    def test_verdicts_and_lists_show_names_and_obey_none(self):
        scope = ("--project", "p <script>owned", "--workload", self.WORKLOAD)
        before = [self.hostile_profile(seed) for seed in range(7)]
        after = [self.hostile_profile(seed, "--slow-op", "attention=1.5") for seed in range(7, 10)]
        taken = self.call("ingest", *scope, "--branch", "main", "--commit", f"{1:040x}", *before)
        self.assertEqual(taken.code, 0, taken.err)
        sides = ("--branch", "=b ##[group]owned;@x", "--commit", f"{2:040x}")
        for form in ("text", "md", "junit", "github"):
            told = self.call("gate", *scope, *sides, "--format", form, *after)
            self.assertEqual(told.code, 1, told.err)
            self.check_told(form, told)
        for command in (("show", "v1"), ("show", "p8"), ("list", "runs"), ("list", "profiles"),
                        ("list", "workloads"), ("trend", *scope), ("log",), ("status",),
                        ("queue", "list"), ("verify",)):
            told = self.call(*command, *(("--format", "text") if command[0] != "verify" else ()))
            self.assertEqual(told.code, 0, f"{command}: {told.err}")
            self.check_lines(told.out, str(command))
        for command in (("list", "runs"), ("list", "profiles"), ("list", "workloads"),
                        ("trend", "--all-branches", *scope)):
            told = self.expect(0, *command, "--format", "csv")
            self.check_csv(told.out.replace("\r\n", "\n"), str(command))

    def clone(self):
        """Subjects of commits that mean harm, a commit each; (folder, their ids, oldest first)."""
        folder, ids = self.folder / "clone", []
        git = ["git", "-C", str(folder), "-c", "user.name=x", "-c", "user.email=x@y"]
        subprocess.run(["git", "init", "-q", folder], check=True)
        subjects = [f"{COMMAND} {part.strip() or 'x'} owned" for part in PARTS] + [
            HOSTILE.replace("\n", " "), "=HYPERLINK(owned)", "<!-- owned", "]]> owned", "@a owned"]
        for subject in subjects:
            subprocess.run([*git, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m",
                            subject], check=True, capture_output=True)
            ids.append(subprocess.run([*git, "rev-parse", "HEAD"], check=True, text=True,
                                      capture_output=True).stdout.strip())
        return folder, ids

    def test_reports_of_a_project_show_names_and_obey_none(self):
        """Of workloads, branches, runs, ops, hosts, and the subjects of commits, with pictures."""
        scope = ("--project", "q <script>owned", "--workload", self.WORKLOAD)
        folder, ids = self.clone()
        now = datetime.datetime.now(datetime.timezone.utc)
        for seed in range(20, 38):
            slow = ("--slow-op", "attention=1.6") if seed > 29 else ()
            captured = now - (38 - seed) * datetime.timedelta(hours=1)
            self.expect(0, "ingest", *scope, "--branch", "main", "--run", f"{self.WORKLOAD} {seed}",
                        "--captured-at", f"{captured:%Y-%m-%dT%H:%M:%SZ}",
                        "--label", f"{COMMAND}<script>", "--commit", ids[-1] if slow else ids[0],
                        self.hostile_profile(seed, "--kind", "tpu", *slow))
        asked = ("report", *scope[:2], "--period", "week", "--repository", folder)
        document = self.expect(0, *asked, "--format", "json").document
        self.assertEqual([len(loss["commits"]) for loss in document["losses"]], [len(ids) - 1])
        for form in ("text", "md", "html", "csv"):
            with self.subTest(form):
                told = self.expect(0, *asked, "--format", form)
                if form == "csv":
                    self.check_csv(told.out.replace("\r\n", "\n"), form)
                else:
                    self.check(form, told.out, form)
                self.check_lines(told.err, form)
        for form in ("html", "md", "text"):
            for command in (("trend", *scope), ("changepoints", *scope), ("show", "p1")):
                told = self.call(*command, "--format", form)
                what = f"{command[0]} --format {form}"
                if told.code != 2:  # it has that form
                    self.check(form, told.out, what)

    def check_csv(self, text, what):
        """No cell is a formula, wherever a spreadsheet parts them."""
        self.check("csv", text, what)
        for separator in ",;":
            for row in csv.reader(text.splitlines(), delimiter=separator):
                for cell in row:
                    self.assertNotRegex(cell, r"^[\s\"]*[=+@＝＋－＠]|^[\s\"]*-[^0-9]", what)

    def test_lists_of_series_show_devices_and_obey_none(self):
        """What the device is called comes from the profile alone."""
        document, path = json.loads(SUMMARY.read_text(encoding="utf-8")), self.folder / "d.json"
        document["environment"]["device_type"] = "a" + "".join(PARTS[:6])
        path.write_text(json.dumps(document), encoding="utf-8")
        self.expect(0, "import", "--project", "devices", "--workload", "w", path)
        for form in ("csv", "text"):
            told = self.expect(0, "list", "series", "--project", "devices", "--format", form)
            self.check_lines(told.out.replace("\r\n", "\n"), form)
            self.assertIn("owned", told.out)

    def test_policies_show_names_and_obey_none(self):
        path = self.folder / "hostile.policy"
        path.write_bytes(f"policy_version = 1\n[watch {COMMAND} \x1b[2J]\npattern = {COMMAND}"
                         "\u202e\x9b31m##[error]x\nlimit_pct = 3\n".encode())
        for code, action in ((1, "diff"), (0, "show")):
            told = self.expect(code, "policy", action, path)
            self.check_lines(told.out, action)
            self.assertIn("owned", told.out)

    def check_told(self, form, told):
        if form == "github":
            lines = told.out.splitlines()
            self.assertTrue(all(re.match("::(error|warning|notice) title=", line)
                                for line in lines), lines)
            self.assertIsNone(HIDDEN.search(told.out))
            self.assertNotIn("##[", told.out)
        else:
            self.check(form, told.out, form)
        if form == "junit":
            xml.etree.ElementTree.fromstring(told.out.encode())


if __name__ == "__main__":
    unittest.main(verbosity=2)
