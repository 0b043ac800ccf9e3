"""The second implementation of profile_summary.v1 against the reference's stored documents.

What: every stored summary of an XPlane file, both breakdown modes and all options there are, and
what the commands say of the made summaries. What differential_test.py says of the program is worth
as much as this.
"""

import argparse
import json
import os
import pathlib
import re
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from document_differences import differences  # noqa: E402
from reference.compare import comparison_of  # noqa: E402
from reference.document import summary_of  # noqa: E402
from reference.query import answer_of  # noqa: E402
from reference.reading import summary_read  # noqa: E402
from reference.report import report_of  # noqa: E402
from reference.track import assessment_of  # noqa: E402

SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", "../shared"))
MADE = FOLDER.parent / "golden" / "made"
NAME = re.compile(r"(?P<stem>.*?)\.(?P<mode>exclusive_per_track|exclusive_global)"
                  r"(?:\.(?P<option>warmup|limit)(?P<value>-?\d+))?\.(?P<kind>json|err)$")
OPTIONS = {"warmup": "warmup_steps", "limit": "hot_op_limit"}
DISORDER = re.compile(r"Events on .* are not in timeline order\.")


def stored(folder, profiles):
    """(stored document, profile, match of its name) of every XPlane file."""
    for path in sorted(folder.glob("*")):
        match = NAME.match(path.name)
        profile = profiles / f"{match['stem']}.xplane.pb" if match else None
        if profile is not None and profile.exists():
            yield path, profile, match


class StoredDocuments(unittest.TestCase):
    def check(self, path, profile, match):
        options = {"mode": match["mode"], "warmup_steps": 0}
        if match["option"]:
            options[OPTIONS[match["option"]]] = int(match["value"])
        data, text = profile.read_bytes(), path.read_text()
        if match["kind"] == "json":
            document = json.loads(json.dumps(summary_of(data, **options)))
            skipped = ("generated_at_utc", "source_path")
            self.assertEqual(list(differences(json.loads(text), document, skipped=skipped)), [])
        elif DISORDER.search(text):
            warnings = summary_of(data, **options)["trace_overview"]["quality_warnings"]
            self.assertTrue(any("were sorted" in warning for warning in warnings), warnings)
        else:
            with self.assertRaises((ValueError, OverflowError)):
                summary_of(data, **options)

    def check_all(self, folder, profiles):
        cases = list(stored(folder, profiles))
        self.assertGreater(len(cases), 0)
        for path, profile, match in cases:
            with self.subTest(path.name):
                self.check(path, profile, match)

    def test_made_inputs(self):
        self.check_all(MADE, MADE)

    @unittest.skipUnless((SHARED / "golden/summaries").is_dir(),
                         f"no real profiles in '{SHARED}'; set STEPLEDGER_SHARED")
    def test_real_profiles(self):
        self.check_all(SHARED / "golden/summaries", SHARED / "profiles/xplane")


THRESHOLDS = {"median": "--max-step-median-regression-pct", "p90": "--max-step-p90-regression-pct",
              "communication": "--max-communication-share-regression-abs",
              "stall": "--max-stall-share-regression-abs"}


def command_parse(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    for name in ("--before", "--after", "--summary", "--question", "--label", "--history"):
        parser.add_argument(name)
    parser.add_argument("--top-k", type=int, default=10)
    for name, option in THRESHOLDS.items():
        parser.add_argument(option, type=float, dest=name)
    return parser.parse_known_args(arguments)[0]


def command_output(folder, arguments):
    """What the command says, or None of one that is not implemented here."""
    options = command_parse(arguments)

    def read(name):
        return summary_read(json.loads((folder / name).read_text(encoding="utf-8")))

    if options.command == "query":
        return answer_of(read(options.summary), options.question, options.top_k)
    if options.command == "report":
        return report_of(read(options.summary), options.top_k) + "\n"
    if options.command == "compare":
        return comparison_of(read(options.before), read(options.after), options.top_k)
    if options.command == "track":
        given = {name: getattr(options, name) for name in THRESHOLDS
                 if getattr(options, name) is not None}
        return assessment_of(read(options.before), read(options.after), options.top_k, given)
    return None


class StoredCommands(unittest.TestCase):
    def check(self, folder, name, arguments):
        found = command_output(folder, arguments)
        if found is None:
            return
        wanted = (folder / "out" / name).read_text(encoding="utf-8")
        if not isinstance(found, str):
            wanted, found = json.loads(wanted), json.loads(json.dumps(found))
            wanted = wanted["assessment"] if arguments[0] == "track" else wanted
        self.assertEqual(list(differences({name: wanted}, {name: found})), [])

    def test_made_summaries(self):
        for table in sorted((MADE / "commands").glob("*/commands.tsv")):
            for line in table.read_text(encoding="utf-8").splitlines():
                name, code, arguments = line.split("\t")
                if code == "0":
                    with self.subTest(f"{table.parent.name}/{name}"):
                        self.check(table.parent, name, json.loads(arguments))


if __name__ == "__main__":
    unittest.main()
