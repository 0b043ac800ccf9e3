"""A ledger whose verdicts are all checked and made again when its tests are over."""

import json
import pathlib
import subprocess
import sys

from cli_case import TIMEOUT_S, LedgerCase

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import postgres_server  # noqa: E402
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
            if cls.verdicts > 0:
                cls.check_verdicts()
        finally:
            super().tearDownClass()

    @classmethod
    def check_verdicts(cls):
        """What is stored is a verdict, and is made again to the byte."""
        case = cls()
        recorded = json.loads(subprocess.run(
            [postgres_server.binaries() / "psql", "-X", "-q", "-A", "-t", "-d",
             case.expect(0, "db", "url").out.strip(), "-c",
             "SELECT coalesce(json_agg(document ORDER BY id), '[]') FROM stepledger.verdicts"],
            check=True, text=True, capture_output=True, timeout=TIMEOUT_S).stdout)
        case.assertGreaterEqual(len(recorded), cls.verdicts)
        for number, document in enumerate(recorded[:cls.verdicts], 1):
            check_document(json.loads(document), "verdict")
            again = case.expect(0, "gate", "--replay", f"v{number}").out
            case.assertEqual(again.rstrip("\n"), document.rstrip("\n"))

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
