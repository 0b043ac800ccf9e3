#!/usr/bin/env python3
"""Where commands write: what stands in the way of a file is not followed, and nobody waits.

What: exports beside each other, to a name beside which a link lies in wait, to a FIFO and to a
device. Why: an export wrote to `NAME.part`, whatever that was, so two of them failed each other,
and `--output` replaced the device that it was given.
"""

import fcntl
import os
import pathlib
import resource
import stat
import subprocess
import unittest

from cli_case import BINARY, TIMEOUT_S, LedgerCase

SUMMARY = pathlib.Path(__file__).resolve().parents[1] / "golden" / "present" / "slower.summary.json"


class Outputs(LedgerCase):
    """One small ledger."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        done = subprocess.run([BINARY, "ingest", "--project", "p", "--workload", "w", "--branch",
                               "main", cls.profile("one")], env=cls.environment, timeout=TIMEOUT_S,
                              check=False, capture_output=True)
        assert done.returncode == 0, done.stderr

    def test_exports_beside_each_other_are_all_whole(self):
        path = self.folder / "beside.jsonl"
        running = [self.start("export", "--output", path) for _ in range(4)]
        for process in running:
            _, errors = process.communicate(timeout=TIMEOUT_S)
            self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(path.read_text(), self.call("export").out)
        self.assertEqual(list(self.folder.glob("beside.jsonl?*")), [])

    def test_a_link_that_lies_in_wait_is_not_followed(self):
        victim = self.folder / "victim"
        victim.write_text("kept")
        for name in ("export.jsonl", "summary.md"):
            (self.folder / f"{name}.part").symlink_to(victim)
        self.assertEqual(self.call("export", "--output", self.folder / "export.jsonl").code, 0)
        self.call("report", SUMMARY, "--output", self.folder / "summary.md")
        self.assertEqual(victim.read_text(), "kept")

    def test_names_of_ours_in_a_folder_that_is_named_follow_no_link(self):
        """Who may write to the folder has no file elsewhere overwritten, and holds nobody up."""
        victim = self.folder / "elsewhere"
        victim.write_text("kept")
        tables, bundle = self.folder / "tables", self.folder / "linked"
        for folder, link, fifo in ((tables, "hlo_stats.json", "framework_op_stats.json"),
                                   (bundle, "before.summary.json", "after.report.md")):
            folder.mkdir()
            (folder / link).symlink_to(victim)
            os.mkfifo(folder / fifo)
        (tables / "roofline_model.json").symlink_to(self.folder / "nothing")
        self.expect(0, "summarize", self.profile("tables", "--kind", "tpu", "--seed", "3"),
                    "--xplane-output-dir", tables)
        self.expect(0, "bundle", SUMMARY, SUMMARY, "--output-dir", bundle)
        self.assertEqual(victim.read_text(), "kept")
        for path in (*tables.iterdir(), *bundle.iterdir()):
            with self.subTest(path.name):
                self.assertTrue(stat.S_ISREG(path.lstat().st_mode))

    def test_a_killed_writer_leaves_nothing_to_the_next_one(self):
        path = self.folder / "next.md"
        left, held, other = (self.folder / f"next.md.stepledger-part.{name}"
                             for name in ("abcdef", "held00", "not-ours"))
        for part in (left, held, other):
            part.write_text("half")
        with open(held, encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.assertEqual(self.call("report", SUMMARY, "--output", path).code, 0)
        self.assertEqual({part.exists() for part in (held, other)}, {True})
        self.assertFalse(left.exists())

    def test_a_bundle_is_replaced_when_all_of_it_is_whole(self):
        folder = self.folder / "bundle"
        self.expect(0, "bundle", SUMMARY, SUMMARY, "--output-dir", folder)
        for path in folder.iterdir():
            path.write_text("old")
        (folder / "after.report.md").unlink()
        (folder / "after.report.md").mkdir()
        self.expect(1, "bundle", SUMMARY, SUMMARY, "--output-dir", folder)
        self.assertEqual({path.read_text() for path in folder.iterdir() if path.is_file()}, {"old"})
        self.assertEqual(len(list(folder.iterdir())), 6)

    def test_a_file_over_the_limit_of_the_shell_leaves_nothing(self):
        limit = (resource.RLIMIT_FSIZE, (4096, 4096))
        told = self.call("report", SUMMARY, "--output", self.folder / "large.md",
                         preexec_fn=lambda: resource.setrlimit(*limit))
        self.assertEqual(told.code, 1, told.err)  # as the reference: an error
        self.assertIn("File too large", told.err)
        self.assertEqual(list(self.folder.glob("large.md*")), [])

    def test_a_fifo_and_a_device_are_written_to(self):
        fifo, device = self.folder / "fifo", self.folder / "device"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.assertEqual(self.call("report", SUMMARY, "--output", fifo).code, 0)
        self.assertIn(b"# Profile Report", os.read(reader, 1 << 16))
        self.assertTrue(stat.S_ISFIFO(fifo.stat().st_mode))
        try:
            os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
            os.close(os.open(device, os.O_WRONLY))
        except PermissionError:
            self.skipTest("no device can be made here")
        for command in (("report", SUMMARY), ("export",)):
            self.assertEqual(self.call(*command, "--output", device).code, 0)
            self.assertTrue(stat.S_ISCHR(device.stat().st_mode))

    def closed(self, streams, *arguments):
        """What a command does that somebody started with these streams closed."""
        def close():
            for stream in streams:
                os.close(stream)
        return self.call(*arguments, preexec_fn=close)

    def test_a_closed_output_is_one_that_cannot_be_written(self):
        """Its number went to the next file that was opened: the server's socket got the document,
        and the command said that it was done."""
        for command in (("list", "profiles"), ("verify",), ("export",), ("show", "p1"), ("--help",),
                        ("--version",), ("help", "verdict")):
            for streams in ((1,), (0, 1)):
                with self.subTest(command=command, streams=streams):
                    told = self.closed(streams, *command)
                    self.assertEqual(told.code, 69, told.err)
                    self.assertIn("cannot write 'standard output': Bad file descriptor", told.err)
        self.expect(0, "verify")

    def test_a_closed_log_changes_no_exit_code(self):
        """A line of the log that went to the server ended the connection: a gate that fails was one
        whose database is away, and passed with --on-error=pass."""
        cut = self.folder / "cut"
        cut.mkdir()
        whole = next(pathlib.Path(self.profile("whole")).rglob("*.xplane.pb"))
        (cut / "host.xplane.pb").write_bytes(whole.read_bytes()[:-9])
        command = ("gate", "--project", "cut", "--commit", "c" * 40, "--workload")
        self.assertIn("event=input_warning", self.expect(6, *command, "open", cut).err)
        for streams in ((2,), (0, 2)):
            with self.subTest(streams=streams):
                name = "closed" + "".join(str(stream) for stream in streams)
                self.assertEqual(self.closed(streams, *command, name, cut).code, 6)
                self.assertEqual(len(self.expect(0, "list", "profiles", "--workload", name,
                                                 "--format", "json").document["rows"]), 1)

    def test_a_full_output_is_said_of_help_and_version_too(self):
        with open("/dev/full", "wb", buffering=0) as full:
            for command in ("--help", "--version", "help"):
                with self.subTest(command):
                    done = subprocess.run([BINARY, command], env=self.environment, stdout=full,
                                          stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
                    self.assertEqual(done.returncode, 75)
                    self.assertIn(b"cannot write 'standard output'", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
