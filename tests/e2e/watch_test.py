"""A watched folder: what is whole becomes a job, once; what is not yet whole waits."""

import os
import pathlib
import shutil
import sys
import time
import unittest

from cli_case import ROOT
from queue_case import SCOPE, QueueCase, log_events

sys.path.insert(0, str(ROOT / "tests" / "support"))

# pylint: disable=wrong-import-position
import trace_writer  # noqa: E402
import xplane_decoder  # noqa: E402

SETTLE_S = 1.5
SETTINGS = {"STEPLEDGER_WATCH_POLL_MS": "100", "STEPLEDGER_WATCH_SETTLE_MS": str(int(
    SETTLE_S * 1000))}


class Watch(QueueCase):
    """One ledger; each test watches a folder of its own."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.seed = 300

    def fresh(self):
        """A new profile; returns its one file."""
        type(self).seed += 1
        folder = self.profile(f"r{self.seed}", "--kind", "tpu", "--seed", str(self.seed))
        return next(pathlib.Path(folder).rglob("*.xplane.pb"))

    def watch(self, name, *more):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        worker = self.worker("--watch", folder, *SCOPE, *more, **SETTINGS)
        self.wait_for("the start", lambda: log_events(worker.log, "worker_started"))
        time.sleep(0.3)
        return folder, worker

    def rows_below(self, folder):
        return [row for row in self.jobs().values() if row["path"].startswith(str(folder) + "/")]

    def wait_done(self, folder, count):
        return self.wait_for(f"{count} jobs done", lambda: len(
            [row for row in self.rows_below(folder) if row["state"] == "done"]) == count and
            self.rows_below(folder))

    def test_takes_a_renamed_file_at_once_and_a_growing_one_when_it_rests(self):
        folder, worker = self.watch("inbox")
        source, growing = self.fresh(), self.fresh().read_bytes()
        shutil.copy(source, folder / "a.part")
        began = time.monotonic()
        (folder / "a.part").rename(folder / "a.xplane.pb")
        self.wait_for("the renamed file", lambda: self.rows_below(folder))
        self.assertLess(time.monotonic() - began, SETTLE_S)
        with open(folder / "b.xplane.pb", "wb") as stream:
            for piece in range(4):  # longer in all than it has to rest
                stream.write(growing[piece * len(growing) // 4:(piece + 1) * len(growing) // 4])
                stream.flush()
                time.sleep(SETTLE_S / 2)
                self.assertEqual(len(self.rows_below(folder)), 1)
        rows = self.wait_done(folder, 2)
        self.assertEqual({row["path"] for row in rows},
                         {f"{folder}/a.xplane.pb", f"{folder}/b.xplane.pb"})
        self.stop(worker)

    def test_takes_folders_as_ingest_does_and_leaves_other_files(self):
        folder, worker = self.watch("runs")
        (folder / "notes.txt").write_text("no profile", "ascii")
        session = folder / "run-1" / "plugins" / "profile" / "2026_01_02_03_04_05"
        session.mkdir(parents=True)
        made = self.profile("two", "--seed", "77", "--host", "host-a", "--host", "host-b")
        for file in pathlib.Path(made).rglob("*.xplane.pb"):
            shutil.copy(file, session)
        rows = self.wait_done(folder, 1)
        self.assertEqual(rows[0]["path"], str(session))
        shown = self.expect(0, "show", rows[0]["profile"]).document
        self.assertEqual(len(shown["sources"]), 2)
        self.stop(worker)

    def test_a_trace_beside_an_xplane_file_is_no_profile_of_its_own(self):
        folder, worker = self.watch("both")
        (folder / "a.trace.json.gz").write_bytes(b"a trace that nobody reads")
        for name in ("a", "b"):  # when the second is done, the trace has rested long enough
            shutil.copy(self.fresh(), folder / f"{name}.xplane.pb")
            rows = self.wait_done(folder, 1 + (name == "b"))
        self.assertEqual({row["path"] for row in rows},
                         {f"{folder}/a.xplane.pb", f"{folder}/b.xplane.pb"})
        self.stop(worker)

    def test_a_trace_beside_an_xplane_file_of_another_host_is_one(self):
        folder, worker = self.watch("beside")
        xplane = pathlib.Path(self.fresh())
        trace = trace_writer.trace_of(xplane_decoder.space_read(
            pathlib.Path(self.fresh()).read_bytes()))
        shutil.copy(xplane, folder / "a.xplane.pb")
        for name in ("a", "b"):
            (folder / f"{name}.trace.json.gz").write_bytes(trace.encode())
        rows = self.wait_done(folder, 2)
        self.assertEqual({row["path"] for row in rows},
                         {f"{folder}/a.xplane.pb", f"{folder}/b.trace.json.gz"})
        self.stop(worker)

    def test_submits_the_same_files_once_also_after_a_restart(self):
        folder, worker = self.watch("once")
        shutil.copy(self.fresh(), folder / "a.xplane.pb")
        self.wait_done(folder, 1)
        self.stop(worker)
        folder, worker = self.watch("once")
        time.sleep(SETTLE_S + 1)
        self.assertEqual(len(self.rows_below(folder)), 1)
        shutil.copy(self.fresh(), folder / "a.xplane.pb")  # new bytes under the same name
        self.wait_done(folder, 2)
        self.stop(worker)

    @unittest.skipIf(os.geteuid() != 0, "only root can lay the link of another user")
    def test_a_link_to_what_is_anothers_is_not_followed(self):
        """Who may write to the folder has no file submitted that is none of its own, and no disk
        searched."""
        source, away = self.fresh(), self.folder / "away"
        (away / "deep").mkdir(parents=True)
        shutil.copy(source, away / "deep" / "host.xplane.pb")
        folder, worker = self.watch("linked")
        for name, end in (("file.xplane.pb", away / "deep" / "host.xplane.pb"), ("tree", away),
                          ("disk", "/")):
            (folder / f".{name}").symlink_to(end)
            os.lchown(folder / f".{name}", 65534, 65534)
            (folder / f".{name}").rename(folder / name)
        (folder / "run").mkdir()
        shutil.copy(source, folder / "run" / "host.xplane.pb")
        (folder / "run" / "more").symlink_to(away)
        os.lchown(folder / "run" / "more", 65534, 65534)
        self.wait_for("four words", lambda: len(log_events(worker.log, "profile_rejected")) == 4)
        (folder / "mine").symlink_to(away)
        self.wait_for("the job", lambda: log_events(worker.log, "job_done"))
        time.sleep(1)
        [submitted] = log_events(worker.log, "job_submitted")
        self.assertIn(f"file={folder}/mine/deep", submitted)
        told = " ".join(log_events(worker.log, "profile_rejected"))
        for name in ("file.xplane.pb", "tree", "disk", "run/more"):
            self.assertEqual(told.count(f"file={folder}/{name} "), 1, told)
        self.stop(worker)

    def test_a_bad_file_does_not_stop_the_watch(self):
        folder, worker = self.watch("mixed")
        (folder / "bad.xplane.pb").write_bytes(b"\xff" * 500)
        shutil.copy(self.fresh(), folder / "good.xplane.pb")
        self.wait_done(folder, 1)
        self.wait_for("setting aside", lambda: any(
            row["state"] == "aside" for row in self.rows_below(folder)))
        self.stop(worker)


if __name__ == "__main__":
    unittest.main(verbosity=2)
