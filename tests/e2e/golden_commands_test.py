#!/usr/bin/env python3
"""compare, track, query, report and history against the reference tool's own output.

tests/golden/made/commands holds made inputs (commands.tsv: name of the output, exit code,
arguments); ../shared/golden/commands holds four pairs of real profiles. Numbers agree to 1e-9
(relative), reports to the byte; in report_cells, whose names hold backticks and bars, those are as
ours prints them: no name ends its code span or its cell. Where rule 9 of `query` answers a question
that nobody knows, ours says so in two members more (`recognized`, `known_forms`), which the
reference does not have.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("STEPLEDGER_BIN", str(ROOT / "build" / "stepledger"))
SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", str(ROOT.parent / "shared")))
MADE = ROOT / "tests" / "golden" / "made" / "commands"
REAL = SHARED / "golden" / "commands"
TOLERANCE = 1e-9
TIMEOUT_S = 60


def difference(wanted, got, path="$"):
    """Where two documents part, or None."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        if wanted.keys() != got.keys():
            return f"{path}: members {sorted(wanted.keys() ^ got.keys())}"
        pairs = [(wanted[key], got[key], f"{path}.{key}") for key in sorted(wanted)]
    elif isinstance(wanted, list) and isinstance(got, list):
        if len(wanted) != len(got):
            return f"{path}: {len(wanted)} items wanted, {len(got)} given"
        pairs = [(w, g, f"{path}[{i}]") for i, (w, g) in enumerate(zip(wanted, got))]
    else:
        numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool)
                      for x in (wanted, got))
        equal = (abs(wanted - got) <= TOLERANCE * max(abs(wanted), abs(got)) if numbers
                 else type(wanted) is type(got) and wanted == got)
        return None if equal else f"{path}: {wanted!r} wanted, {got!r} given"
    return next(filter(None, (difference(*pair) for pair in pairs)), None)


def neutral(document):
    """Without what differs from run to run, and without what only ours says."""
    if isinstance(document, dict):
        if document.get("recognized") is False:
            document = {k: v for k, v in document.items() if k not in ("recognized", "known_forms")}
        return {k: None if k in ("recorded_at_utc", "generated_at_utc") else neutral(v)
                for k, v in document.items()}
    return [neutral(item) for item in document] if isinstance(document, list) else document


class GoldenCase(unittest.TestCase):
    """Runs commands in a copy of a folder, so that none can write into it."""

    def in_copy(self, source):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="stepledger-golden-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        for path in source.iterdir():
            if path.is_file():
                shutil.copyfile(path, folder / path.name)
        return folder

    def run_in(self, folder, arguments):
        return subprocess.run([BINARY, *arguments], cwd=folder, capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False)

    def check_output(self, folder, arguments, wanted):
        """wanted: the file with the reference's output."""
        done = self.run_in(folder, arguments)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        if wanted.suffix == ".md":
            self.assertEqual(done.stdout, wanted.read_text(encoding="utf-8"), str(arguments))
            return
        found = difference(neutral(json.loads(wanted.read_text(encoding="utf-8"))),
                           neutral(json.loads(done.stdout)))
        self.assertIsNone(found, f"{arguments}: {found}")

    def check_failure(self, folder, arguments, message):
        """One line on stderr, nothing on stdout, exit code 1; message is the reference's."""
        done = self.run_in(folder, arguments)
        self.assertEqual((done.returncode, done.stdout), (1, ""), str(arguments))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        kind, _, text = message.strip().partition(": ")
        if kind == "ValueError":
            self.assertIn(text, done.stderr)
        elif kind == "KeyError":
            self.assertIn(f"the required member {text} is missing", done.stderr)


class MadeCommands(GoldenCase):
    """One test per folder of made inputs, added below."""

    def check_case(self, source):
        folder = self.in_copy(source)
        for line in (source / "commands.tsv").read_text(encoding="utf-8").splitlines():
            name, code, arguments = line.split("\t")
            arguments = json.loads(arguments)
            with self.subTest(name=name):
                wanted = source / "out" / name
                if code == "0":
                    self.check_output(folder, arguments, wanted)
                else:
                    error = wanted.with_name(name + ".err").read_text(encoding="utf-8")
                    self.check_failure(folder, arguments, error)
        self.assertFalse((folder / "kept.jsonl").exists(), "a refused track wrote its history")


class RealCommands(GoldenCase):
    """One test per pair of real profiles, added below."""

    def check_pair(self, source):
        folder = self.in_copy(source)
        pair = ["--before", "before.json", "--after", "after.json"]
        reversed_pair = ["--before", "after.json", "--after", "before.json"]
        label = source.name
        checks = {
            "compare.json": ["compare", *pair],
            "track.json": ["track", *pair, "--label", label],
            "track_reversed.json": ["track", *reversed_pair, "--label", f"{label}-reversed"],
            "report.md": ["report", "--summary", "after.json"],
            "history.json": ["history", "--history", "history.jsonl"],
        }
        for line in (source / "queries.tsv").read_text(encoding="utf-8").splitlines():
            number, question = line.split("\t")
            checks[f"query_{number}.json"] = ["query", "--summary", "after.json", "--question",
                                              question]
        for name, arguments in checks.items():
            with self.subTest(name=name):
                self.check_output(folder, arguments, source / name)
        with self.subTest(name="strict_same"):
            self.check_failure(folder, ["compare", "--before", "before.json", "--after",
                                        "before.json", "--strict-provenance"],
                               (source / "strict_same.err").read_text(encoding="utf-8"))

    def test_records_what_the_reference_records(self):
        """Two runs of track with --history leave the reference's two lines."""
        if not REAL.is_dir():
            self.skipTest(f"{REAL} is not there (STEPLEDGER_SHARED names another folder)")
        source = REAL / "keras_t4_steps"
        folder = self.in_copy(source)
        for before, after, label in (("before", "after", "keras_t4_steps"),
                                     ("after", "before", "keras_t4_steps-reversed")):
            done = self.run_in(folder, ["track", "--before", f"{before}.json", "--after",
                                        f"{after}.json", "--label", label, "--history",
                                        "new/kept.jsonl"])
            self.assertEqual(done.returncode, 0, done.stderr)
        lines = (folder / "new" / "kept.jsonl").read_text(encoding="utf-8").splitlines()
        wanted = (source / "history.jsonl").read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(lines), len(wanted))
        for ours, theirs in zip(lines, wanted):
            self.assertIsNone(difference(neutral(json.loads(theirs)), neutral(json.loads(ours))))


def add_cases(cls, root, check, skip):
    """A test method for each folder of root, or one that says loudly why there is none."""
    folders = sorted(p for p in root.iterdir() if p.is_dir()) if root.is_dir() else []
    if not folders:
        setattr(cls, "test_equals_the_reference", lambda self: self.skipTest(skip))
    for folder in folders:
        setattr(cls, f"test_equals_the_reference_on_{folder.name}",
                lambda self, folder=folder: check(self, folder))


add_cases(MadeCommands, MADE, MadeCommands.check_case, f"{MADE} is not there")
add_cases(RealCommands, REAL, RealCommands.check_pair,
          f"{REAL} is not there (STEPLEDGER_SHARED names another folder)")

if __name__ == "__main__":
    unittest.main(verbosity=2)
