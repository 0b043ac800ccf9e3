"""Tables and explanations of profiles of the ledger: by what it keeps, else by their files.

What: `explain` and `table` of what the ledger calls a profile are those of its files while these
lie where they lay, read as they were for the ledger; where they are gone or hold other bytes, that
is said with the path. What it does not do: the tables themselves (table_test.py,
made_table_test.py).
"""

import gzip
import pathlib
import shutil
import sys
import unittest

from cli_case import ROOT, LedgerCase

sys.path.insert(0, str(ROOT / "tests" / "support"))

import pprof_writer  # noqa: E402

SCOPE = ["--project", "p", "--workload", "w"]


class Recorded(LedgerCase):
    maxDiff = 3000

    def made(self, name, seed):
        folder = self.folder / name
        shutil.copytree(self.profile(f"of-{name}", "--kind", "tpu", "--seed", str(seed)), folder)
        [file] = folder.rglob("*.xplane.pb")
        return file

    def test_they_are_those_of_the_files(self):
        file = self.made("there", 1)
        commit = "c" * 40
        [row] = self.expect(0, "ingest", *SCOPE, "--run", "r1", "--label", "best", "--commit",
                            commit, "--warmup-steps", "9", file).document["profiles"]
        steps = self.expect(0, "table", "steps", file).document
        explained = self.expect(0, "explain", file).document
        for name in (row["profile"], "r1", "best", commit[:9]):
            table = self.expect(0, "table", "steps", name).document
            self.assertEqual(len(table["rows"]), len(steps["rows"]))
            of_name = self.expect(0, "explain", name).document
            self.assertEqual(of_name["profile"], explained["profile"])
            self.assertEqual(of_name["step_count"], explained["step_count"])
            self.assertEqual(of_name["steady_step_count"],
                             len([step for step in range(12) if self.number(file, step) >= 9]))
        summary = self.folder / "there.json"
        self.expect(0, "summarize", file, "--output", summary)
        self.assertEqual(self.expect(0, "explain", summary).document, explained)
        self.assertEqual(self.expect(0, "table", "steps", summary).document, steps)

    def number(self, file, step):
        rows = self.expect(0, "summarize", file).document["steps"]["rows"]
        return rows[step]["number"]

    def test_files_that_are_gone_or_changed_are_named(self):
        file = self.made("gone", 2)
        [row] = self.expect(0, "ingest", *SCOPE, file).document["profiles"]
        name = row["profile"]
        self.expect(0, "table", "op_profile", name)
        other = self.made("other", 3).read_bytes()
        for change, code, words in ((lambda: file.write_bytes(other), 65, "holds other bytes now"),
                                    (file.unlink, 6, "is not there any more")):
            change()
            explained = self.call("explain", name)
            self.assertEqual((explained.code, explained.out), (code, ""))
            table = self.call("table", "steps", name)
            self.assertEqual((table.code, table.out), (65, ""))
            for said in (explained.err, table.err):
                self.assertIn(f"'{file}', which was read for it, {words}", said)
            self.assertIn("no table 'steps'", table.err)
            self.expect(0, "table", "op_profile", name)

    def test_files_are_found_from_any_folder(self):
        file = self.made("rooted", 6)
        elsewhere = self.folder / "elsewhere"
        same_name = elsewhere / file.relative_to(self.folder)
        same_name.parent.mkdir(parents=True)
        typed = str(file.relative_to(self.folder))
        [row] = self.expect(0, "ingest", *SCOPE, typed, cwd=self.folder).document["profiles"]
        self.assertEqual(row["path"], str(file))
        for change in (lambda: None, lambda: same_name.write_bytes(b"another")):
            change()
            self.expect(0, "explain", row["profile"], cwd=elsewhere)
            self.expect(0, "table", "steps", row["profile"], cwd=elsewhere)

    def test_of_a_relative_path_it_is_said(self):
        """As summaries of files and older entries have it."""
        file = self.made("typed", 7)
        summary = self.folder / "typed.json"
        typed = str(file.relative_to(self.folder))
        self.expect(0, "summarize", typed, "--output", summary, cwd=self.folder)
        elsewhere = self.folder / "typed-elsewhere"
        same_name = elsewhere / typed
        same_name.parent.mkdir(parents=True)
        for code, words in ((6, "is not there"), (65, "holds other bytes")):
            refused = self.call("explain", summary, cwd=elsewhere)
            self.assertEqual(refused.code, code, refused.err)
            self.assertIn(f"'{typed}', which was read for it, {words}: the path is relative, as "
                          "it was typed", refused.err)
            same_name.write_bytes(b"another")
        self.expect(0, "explain", summary, cwd=self.folder)

    def test_output_never_replaces_the_recorded_file(self):
        file = self.made("kept", 4)
        before = file.read_bytes()
        [row] = self.expect(0, "ingest", *SCOPE, file).document["profiles"]
        for command in (["explain", row["profile"]], ["table", "steps", row["profile"]]):
            refused = self.call(*command, "--output", file)
            self.assertEqual(refused.code, 2, refused.err)
        self.assertEqual(file.read_bytes(), before)

    def test_memory_that_lay_beside_is_read_again(self):
        file = self.made("memory", 5)
        pathlib.Path(file.parent / "m.prof").write_bytes(gzip.compress(
            pprof_writer.memory_profile([pprof_writer.Allocation(1, 5, "TPU_0", "buffer")])))
        [row] = self.expect(0, "ingest", *SCOPE, file.parent).document["profiles"]
        explained = self.expect(0, "explain", file.parent).document
        self.assertEqual(self.expect(0, "explain", row["profile"]).document["parts"],
                         explained["parts"])

    def test_what_is_in_no_ledger_is_said(self):
        refused = self.call("explain", "p99999")
        self.assertEqual((refused.code, refused.out), (6, ""))
        self.assertIn("no profile of the ledger", refused.err)


if __name__ == "__main__":
    unittest.main()
