"""JSON whose tree is many times its text: whoever hands it over, no command takes more memory than
its budget, and each says what was too large.
"""

import json
import sys
import unittest

from cli_case import BINARY, ROOT, SANITIZED, LedgerCase

sys.path.insert(0, str(ROOT / "tests" / "support"))

import peak_memory  # noqa: E402

BUDGET_MB = 48
RESIDENT_KB = (BUDGET_MB + 24) * 1024  # program and libraries
ZEROS = "[" + "0," * 3_000_000 + "0]"  # 6 MB of text, 120 MB as a tree
SCOPE = ("--project", "p", "--workload", "w")
TIMEOUT_S = 60


class HostileJson(LedgerCase):
    """Each is valid JSON, and but for its size what the command asks for."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls().ingest("--branch", "main", cls.profile("m1", "--kind", "tpu", "--seed", "1"))

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="ascii")
        return path

    def refuses(self, code, path, *arguments, environment=None):
        run, resident_kb = peak_memory.run(
            [BINARY, *arguments, "--max-memory-mb", BUDGET_MB], TIMEOUT_S,
            {**self.environment, **(environment or {})})
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertIn(f"the limit max_memory_mb = {BUDGET_MB} is used up; raise it with",
                      run.stderr)
        self.assertIn(str(path), run.stderr)
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        self.assertEqual(self.expect(0, "list", "profiles", "--format", "json").document["count"],
                         1)
        self.assertLess(resident_kb, RESIDENT_KB * (4 if SANITIZED else 1))

    def test_summaries(self):
        path = self.write("summary.json",
                          f'{{"schema_version": "profile_summary.v1", "x": {ZEROS}}}')
        self.refuses(1, path, "query", path, "what")
        self.refuses(1, path, "compare", path, path)
        self.refuses(1, path, "report", path)
        self.refuses(65, path, "import", "--project", "p", "--workload", "w", path)

    def test_facts_from_beside_the_job(self):
        path = self.write("env.json", f'{{"schema_version": "capture_env.v1", "facts": {ZEROS}}}')
        self.refuses(65, path, "ingest", "--project", "p", "--workload", "w", "--env-file", path,
                     self.profile("m1"))

    def test_lines_of_an_import(self):
        path = self.write("lines.jsonl", f'{{"type": "profile", "document": {ZEROS}}}\n' * 2)
        self.refuses(65, path, "import", "--unsealed", path)

    def test_a_line_of_an_import_that_does_not_end(self):
        """Three GB without an end, as an export between its first line and its last, as the
        history of `track`, and as whatever else."""
        header = '{"type": "export", "schema_version": "export.v1"}\n'
        parts = [{"type": "export", "lines": 2, "sha256": "0" * 64}]
        end = json.dumps({"type": "end", "schema_version": "export_end.v1", "parts": parts,
                          **dict.fromkeys(("profiles", "verdicts", "decisions", "deliveries",
                                           "tracks"), 0), "signature": None, "public_key": None})
        for number, first, last, options in ((2, header, "\n" + end, ()), (1, "", "", ()),
                                             (1, "{", "", ("--unsealed",)),
                                             (1, '{"status": "', "", SCOPE)):
            path = self.write("endless.jsonl", first)
            with path.open("ab") as file:
                file.truncate(3 << 30)
                file.seek(0, 2)
                file.write(last.encode())
            self.refuses(65, f"{path}:{number}: ", "import", *options, path)
            path.unlink()

    def test_checkpoints_proofs_and_series(self):
        path = self.write("document.json", f'{{"schema_version": "checkpoint.v1", "x": {ZEROS}}}')
        self.refuses(65, path, "verify", "--against", path)
        self.refuses(65, path, "changepoints", path)


if __name__ == "__main__":
    unittest.main()
