"""Summaries against the reference's own: every member, both breakdown modes, all options there are.

What: runs `stepledger summarize` on the made inputs in tests/golden/made, which exercise each rule
of profile_summary.v1, and on the real profiles in $STEPLEDGER_SHARED, and compares with the stored
documents. Numbers may differ by 1e-9 of their size; everything else must be equal, order included.
Why not equal texts: the reference's sums are compensated on some Python versions.
Left out of the comparison: generated_at_utc and source_path, which the stored ones do not hold, and
members that stepledger adds. Where the reference fails on lines in disorder, stepledger sorts them
and warns; that is checked here as well.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from document_differences import differences  # noqa: E402

BINARY = os.environ.get("STEPLEDGER_BIN", "build/stepledger")
SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", "../shared"))
MADE = pathlib.Path("tests/golden/made")
NOT_COMPARED = ("generated_at_utc", "source_path")
SUFFIX = ".xplane.pb"
GOLDEN_NAME = re.compile(r"(?P<stem>.*?)\.(?P<mode>exclusive_per_track|exclusive_global)"
                         r"(?:\.(?P<option>warmup|limit)(?P<value>-?\d+))?\.(?P<kind>json|err)$")
OPTIONS = {"warmup": "--warmup-steps", "limit": "--hot-op-limit"}


def summarize(path, *options):
    command = [BINARY, "summarize", "--xplane-file", str(path), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


class GoldenCase(unittest.TestCase):
    """Methods are added below, one per stored document."""

    maxDiff = None

    def check(self, profile, golden, match):
        options = ["--breakdown-mode", match["mode"]]
        given = {"--warmup-steps": "0"}
        if match["option"]:
            given[OPTIONS[match["option"]]] = match["value"]
        for name, value in given.items():
            options.append(f"{name}={value}")
        run = summarize(profile, *options)
        if golden.suffix == ".err":
            self.check_failure(run, golden)
            return
        self.assertEqual(run.returncode, 0, run.stderr)
        found = list(differences(json.loads(golden.read_text()), json.loads(run.stdout),
                                 skipped=NOT_COMPARED))
        self.assertEqual(found, [])

    def check_failure(self, run, golden):
        """Disorder is no failure here; all else that fails there fails here with one clear line."""
        message = golden.read_text().strip()
        disorder = re.search(r"Events on .* are not in timeline order\.", message)
        if disorder:
            self.assertEqual(run.returncode, 0, run.stderr)
            warning = disorder[0].replace("are not in timeline order.",
                                          "were not in timeline order; they were sorted.")
            self.assertIn(warning, json.loads(run.stdout)["trace_overview"]["quality_warnings"])
            return
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertEqual(run.stdout, "")
        self.assertEqual(len(run.stderr.strip().splitlines()), 1, run.stderr)
        self.assertIn(golden.name.split(".")[0], run.stderr)


class MadeInputs(GoldenCase):
    """tests/golden/made: free to copy, always there."""


@unittest.skipUnless((SHARED / "golden/summaries").is_dir(),
                     f"no real profiles in '{SHARED}'; set STEPLEDGER_SHARED")
class RealProfiles(GoldenCase):
    """Captured by others; read where they are, never copied here."""


class Threads(unittest.TestCase):
    """The bytes of a document depend on the file, not on who read what first."""

    def document(self, profile, mode, threads):
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1"}
        command = [BINARY, "summarize", "--xplane-file", str(profile), "--breakdown-mode", mode,
                   "--threads", str(threads)]
        run = subprocess.run(command, capture_output=True, timeout=120, check=False,
                             env=environment)
        return run.returncode, run.stdout

    def check_folder(self, folder):
        for profile in sorted(folder.glob(f"*{SUFFIX}")):
            for mode in ("exclusive_per_track", "exclusive_global"):
                self.assertEqual(self.document(profile, mode, 2), self.document(profile, mode, 1),
                                 profile)

    def test_the_number_of_threads_does_not_change_a_byte_of_made_files(self):
        self.check_folder(MADE)

    @unittest.skipUnless((SHARED / "profiles/xplane").is_dir(),
                         f"no real profiles in '{SHARED}'; set STEPLEDGER_SHARED")
    def test_nor_of_real_ones(self):
        self.check_folder(SHARED / "profiles/xplane")


def add_cases(case, folder, profiles):
    for golden in sorted(folder.glob("*")):
        match = GOLDEN_NAME.match(golden.name)
        profile = profiles / f"{match['stem']}{SUFFIX}" if match else None
        if profile is None or not profile.exists():
            continue

        def test(self, profile=profile, golden=golden, match=match):
            self.check(profile, golden, match)

        name = re.sub(r"\W+", "_", golden.name.replace("limit-", "limit_minus_")
                      .replace("warmup-", "warmup_minus_"))
        setattr(case, f"test_{name}", test)


add_cases(MadeInputs, MADE, MADE)
add_cases(RealProfiles, SHARED / "golden/summaries", SHARED / "profiles/xplane")

if __name__ == "__main__":
    unittest.main()
