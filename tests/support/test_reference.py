"""The second implementation of profile_summary.v1 against the reference's stored documents.

What: every stored summary of an XPlane file, both breakdown modes and all options there are. What
differential_test.py says of the program is worth as much as this.
"""

import json
import os
import pathlib
import re
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from document_differences import differences  # noqa: E402
from reference.document import summary_of  # noqa: E402

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


if __name__ == "__main__":
    unittest.main()
