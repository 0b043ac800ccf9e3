"""A ledger whose verdicts are all checked and made again when its tests are over."""

import json
import pathlib
import sys

from cli_case import LedgerCase

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from json_schema import check_document  # noqa: E402

SCOPE = ["--project", "p", "--workload", "w"]


class JudgeCase(LedgerCase):
    """Remembers every verdict that its gates print."""

    verdicts = 0

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.verdicts = 0

    @classmethod
    def tearDownClass(cls):
        try:
            case = cls()
            for number in range(1, cls.verdicts + 1):
                recorded = case.expect(0, "show", f"v{number}").out
                check_document(json.loads(recorded), "verdict")
                again = case.expect(0, "gate", "--replay", f"v{number}").out
                later = set(json.loads(recorded)) - set(json.loads(again))
                case.assertLessEqual(later, {"accepted", "beyond"})
                if later:
                    again, recorded = json.loads(again), json.loads(recorded)
                    recorded = {name: recorded[name] for name in again}
                case.assertEqual(again, recorded)
        finally:
            super().tearDownClass()

    @classmethod
    def runs(cls, branch, count, *options, first=1):
        """Ingests count runs of a branch, a commit each."""
        case = cls()
        for run in range(first, first + count):
            name = f"{branch}-{run}"
            case.ingest("--branch", branch, "--commit", f"{run:040x}", "--run", name,
                        cls.profile(name, "--seed", str(run), *options))

    def gate(self, code, *arguments, **more):
        """Judges in project p, workload w; returns the verdict."""
        result = self.expect(code, "gate", *SCOPE, *arguments, **more)
        type(self).verdicts += 1
        return result.document

    def codes(self, verdict):
        """The reasons' codes in their order."""
        return [reason["code"] for reason in verdict["reasons"]]
