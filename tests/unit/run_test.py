"""tests/run itself: what it counts, when it fails, and that its last line says so."""

import os
import pathlib
import subprocess
import tempfile
import textwrap
import unittest

RUN = pathlib.Path(__file__).resolve().parents[1] / "run"


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, text, name="some_test.sh"):
        place = self.folder / name
        place.write_text(textwrap.dedent(text), "utf-8")
        return str(place)

    def run_all(self, *arguments):
        """(exit status, last line, the whole output)"""
        done = subprocess.run([str(RUN), *arguments], capture_output=True, text=True, check=False,
                              env={**os.environ, "BUILD": str(self.folder)})
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.splitlines()[-1], done.stdout

    def ends(self, text, status, last, name="some_test.sh"):
        found = self.run_all(self.program(text, name))
        self.assertEqual(found[:2], (status, last), found[2])
        return found[2]

    def test_counts_tap_cases_and_names_skipped_ones(self):
        said = self.ends("echo 1..2; echo ok 1 - a; echo 'ok 2 - b # SKIP needs root'",
                         0, "1 passed, 0 failed, 1 skipped")
        self.assertIn("skipped: b: needs root", said)

    def test_reads_the_skips_of_cmocka(self):
        said = self.ends("echo 1..2; echo ok 1 - a; echo no disk; echo 'not ok 2 # SKIP b'",
                         0, "1 passed, 0 failed, 1 skipped")
        self.assertIn("skipped: b: no disk", said)

    def test_shows_the_log_of_a_failing_program(self):
        said = self.ends("echo not ok 1 - a; echo '# because'", 1, "0 passed, 1 failed, 0 skipped")
        self.assertIn("| # because", said)

    def test_fails_for_planned_cases_without_a_result(self):
        said = self.ends("echo 1..3; echo ok 1 - a; kill -SEGV $$",
                         1, "1 passed, 2 failed, 0 skipped")
        self.assertIn("died of SIGSEGV", said)

    def test_fails_for_an_exit_status_that_no_case_explains(self):
        self.ends("echo ok 1 - a; exit 3", 1, "1 passed, 1 failed, 0 skipped")

    def test_fails_for_a_program_without_cases_and_for_no_program(self):
        self.ends("echo hello", 1, "0 passed, 1 failed, 0 skipped")
        self.assertEqual(self.run_all()[:2], (1, "0 passed, 0 failed, 0 skipped"))

    def test_fails_for_a_program_that_takes_too_long(self):
        place = self.program("echo ok 1 - a; exec sleep 60")
        status, last, said = self.run_all("--seconds", "1", place)
        self.assertEqual((status, last), (1, "1 passed, 1 failed, 0 skipped"), said)

    def test_does_not_wait_for_what_a_program_leaves_behind(self):
        said = self.ends("setsid sleep 20 & echo ok 1 - a", 0, "1 passed, 0 failed, 0 skipped")
        self.assertLess(float(said.split()[4]), 10)

    def test_exit_status_77_skips_and_nothing_passed_fails(self):
        self.ends("echo no PostgreSQL; exit 77", 1, "0 passed, 0 failed, 1 skipped")

    def test_counts_unittest_cases(self):
        said = self.ends("""\
            import unittest
            class Some(unittest.TestCase):
                def test_a(self): pass
                def test_b(self): self.fail()
                def test_c(self): self.skipTest("no net")
            """, 1, "1 passed, 1 failed, 1 skipped", "some_test.py")
        self.assertIn("'no net'", said)

    def test_a_unittest_file_that_cannot_be_imported_fails(self):
        self.ends("import nothing_of_this_name\n", 1, "0 passed, 1 failed, 0 skipped", "x_test.py")
