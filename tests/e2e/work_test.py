"""Ingest workers through the binary: kills, crashes, hostile files, limits, orderly stops."""

import json
import os
import pathlib
import signal
import time
import unittest

from cli_case import SANITIZED
from queue_case import QueueCase, children_of, is_gone, log_events


class Work(QueueCase):
    """One ledger; each test uses profiles of its own."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.seed = 100

    def fresh(self, *options):
        """A new profile."""
        type(self).seed += 1
        return self.profile(f"r{self.seed}", "--kind", "tpu", "--seed", str(self.seed), *options)

    def running_child(self, worker):
        return self.wait_for("a job's process", lambda: children_of(worker.pid))[0]

    def project_ready(self):
        """The lock of a workload needs its project to be there."""
        self.ingest(self.fresh())

    def test_an_option_that_a_worker_does_not_hear_is_refused(self):
        for kind in ("compare", "alert", "schedule", "metrics"):
            for option in (("--project", "p"), ("--branch", "b"), ("--jobs", "2"), ("--judge",),
                           ("--captured-at", "2026-11-30T07:00:00Z"), ("--watch", ".")):
                refused = self.expect(2, "work", kind, "--once", *option)
                self.assertIn(f"option {option[0]} is for `work ingest`; this is `work {kind}`",
                              refused.err)
        for group in ("op", "measure"):
            refused = self.expect(2, "trend", "--project", "p", "--workload", "w", "--group-by",
                                  group, "--measure", "mfu")
            self.assertIn(f"--group-by {group} has measures of its own", refused.err)

    def test_a_command_opens_one_session(self):
        """Each look at whether the server answers would be one more."""
        self.project_ready()

        def sessions():
            time.sleep(.3)  # until those that have ended are counted
            [count] = self.query("SELECT sessions FROM pg_stat_database "
                                 "WHERE datname = 'stepledger'")
            return int(count)

        self.url()
        before = sessions()
        between = sessions() - before
        for command in (["list", "runs"], ["show", "p1"]):
            before = sessions()
            self.expect(0, *command)
            self.assertEqual(sessions() - before, between + 1, command)

    def test_a_job_s_process_is_told_no_secret(self):
        """Nor does the kernel show it one: what the process began with is overwritten."""
        self.project_ready()
        planted = "planted0job0secret"
        with self.hold():
            job = self.submit(self.fresh())[0]
            worker = self.worker(WANDB_API_KEY=planted, STEPLEDGER_HOOK=planted)
            self.wait_state(job, "running")
            began = pathlib.Path(f"/proc/{self.running_child(worker)}/environ")
            self.wait_for("the wiping", lambda: planted.encode() not in began.read_bytes(), 10)
            self.assertNotEqual(began.read_bytes(), b"")
        self.wait_state(job, "done")
        self.stop(worker)

    def test_works_through_the_queue_and_reports(self):
        path, again = self.fresh(), self.fresh()
        self.ingest(again)
        jobs = self.submit("--branch", "main", "--commit", "abc1234", "--run", "r-1", path, again)
        done = self.expect(0, "work", "ingest", "--once", "--jobs", "2")
        self.assertEqual(done.document, {"aside": 0, "duplicate": 1, "lost": 0, "released": 0,
                                         "retried": 0, "stored": 1})
        rows = self.jobs()
        self.assertEqual([rows[job]["state"] for job in jobs], ["done", "done"])
        self.assertEqual([rows[job]["duplicate"] for job in jobs], [False, True])
        shown = self.expect(0, "show", rows[jobs[0]]["profile"]).document
        self.assertTrue(shown["source_path"].startswith(path))

    def test_needs_nothing_but_the_database_for_jobs_with_bytes(self):
        path = self.fresh("--host", "a", "--host", "b")
        job = self.submit("--bytes", path)[0]
        os.rename(path, path + "-gone")
        self.expect(0, "work", "ingest", "--once")
        row = self.jobs()[job]
        self.assertEqual(row["state"], "done", row)
        shown = self.expect(0, "show", row["profile"]).document
        self.assertEqual([source["path"].rpartition("/")[2] for source in shown["sources"]],
                         ["a.xplane.pb", "b.xplane.pb"])
        self.assertTrue(all(s["path"].startswith(path) for s in shown["sources"]))
        self.assertEqual(self.query("SELECT count(*) FROM queue_files WHERE body IS NOT NULL"),
                         ["0"])

    def test_refuses_bytes_over_the_limit(self):
        result = self.call("queue", "add", "--project", "p", "--workload", "w", "--bytes",
                           self.fresh(), environment={"STEPLEDGER_QUEUE_MAX_BYTES": "1000"})
        self.assertEqual(result.code, 65, result.err)
        self.assertIn("queue_max_bytes", result.err)

    def test_a_bad_file_is_set_aside_and_holds_nobody(self):
        bad = self.folder / "hostile.xplane.pb"
        bad.write_bytes(b"\xff" * 5000)
        jobs = self.submit(self.fresh(), bad, self.fresh())
        self.expect(0, "work", "ingest", "--once")
        rows = self.jobs()
        self.assertEqual([rows[job]["state"] for job in jobs], ["done", "aside", "done"])
        self.assertEqual((rows[jobs[1]]["failure_kind"], rows[jobs[1]]["attempt"]), ("input", 1))
        self.assertIn("hostile.xplane.pb", rows[jobs[1]]["failure"])
        self.assertEqual(self.expect(0, "queue", "drop", jobs[1]).document, {"jobs": [jobs[1]]})
        self.assertEqual(self.expect(6, "queue", "retry", jobs[1]).document, {"jobs": []})

    def test_a_job_without_files_is_set_aside_and_has_no_profile(self):
        """Who may write to the queue's tables need not write to both."""
        self.project_ready()
        job = int(self.query("INSERT INTO queue (project, workload, path, options, max_attempts) "
                             "VALUES ('p', 'w', '/etc/shadow', '{}', 5) RETURNING id")[0])
        done = self.expect(0, "work", "ingest", "--once")
        row = self.jobs()[job]
        self.assertEqual((row["state"], row["failure_kind"], row["attempt"], row["profile"]),
                         ("aside", "input", 1, None))
        self.assertIn("the job names no files", row["failure"])
        self.assertNotIn("bug", done.err)

    def test_a_file_that_is_gone_is_tried_again_then_set_aside(self):
        path = self.fresh()
        job = self.submit(path)[0]
        os.rename(path, path + "-gone")
        worker = self.worker()
        row = self.wait_state(job, "aside")
        self.assertEqual((row["failure_kind"], row["attempt"]), ("missing", 5))
        os.rename(path + "-gone", path)
        self.expect(0, "queue", "retry", job)
        self.wait_state(job, "done")
        self.stop(worker)

    def test_says_for_whom_it_waits_while_it_does(self):
        self.project_ready()
        with self.hold():
            job = self.submit(self.fresh())[0]
            worker = self.worker()
            told = self.wait_for("the word on who holds the lock",
                                 lambda: log_events(worker.log, "database_waits"))
            self.assertIn("which is held by session", told[0])
        self.wait_state(job, "done")
        self.stop(worker)

    def test_another_worker_does_the_job_of_one_that_was_killed(self):
        self.project_ready()
        with self.hold():
            first = self.worker()
            job = self.submit(self.fresh())[0]
            child = self.running_child(first)
            first.kill()
            first.wait()
            self.wait_for("the end of the job's process", lambda: is_gone(child))
            second = self.worker()
            self.wait_for("the second claim", lambda: self.jobs()[job]["attempt"] == 2)
        row = self.wait_state(job, "done")
        self.assertFalse(row["duplicate"])
        self.assertEqual(self.query(f"SELECT fence FROM queue WHERE id = {job}"), ["2"])
        self.stop(second)

    def test_a_crash_takes_its_job_and_not_the_worker(self):
        self.project_ready()
        worker = self.worker()
        with self.hold():
            job = self.submit(self.fresh())[0]
            os.kill(self.running_child(worker), signal.SIGABRT)
            self.wait_for("the second attempt", lambda: self.jobs()[job]["attempt"] == 2)
        self.wait_state(job, "done")
        self.assertIn("signal 6", log_events(worker.log, "job_failed")[0])
        self.stop(worker)

    def test_a_job_that_always_crashes_is_set_aside_with_the_reason(self):
        self.project_ready()
        worker = self.worker()
        with self.hold():
            job = self.submit(self.fresh())[0]
            killed = set()

            def aside():
                for child in children_of(worker.pid):
                    if child not in killed:
                        killed.add(child)
                        os.kill(child, signal.SIGABRT)
                return self.jobs()[job]["state"] == "aside"
            self.wait_for("setting aside", aside)
        row = self.jobs()[job]
        self.assertEqual((row["failure_kind"], row["attempt"]), ("crash", 5))
        self.assertIn("signal 6", row["failure"])
        self.stop(worker)

    def test_a_job_that_hangs_is_ended_and_others_go_on_meanwhile(self):
        self.project_ready()
        worker = self.worker("--jobs", "2", STEPLEDGER_JOB_WALL_S="3")
        with self.hold():
            stuck = self.submit(self.fresh())[0]
            other = self.submit(self.fresh(), scope=("--project", "p", "--workload", "other"))[0]
            self.wait_state(other, "done", 20)
            self.assertEqual(self.jobs()[stuck]["state"], "running")
            row = self.wait_state(stuck, "aside", 20)
        self.assertIn("job_wall_s", row["failure"])
        self.stop(worker)

    @unittest.skipIf(SANITIZED, "with a sanitizer the arena's budget is the limit")
    def test_limits_the_memory_of_a_job(self):
        job = self.submit(self.fresh())[0]
        done = self.expect(0, "work", "ingest", "--once",
                           environment={"STEPLEDGER_JOB_MEMORY_MB": "16"})
        self.assertEqual(done.document["stored"], 0)
        row = self.jobs()[job]
        self.assertEqual((row["state"], row["failure_kind"]), ("aside", "limit"), row)
        self.expect(0, "queue", "retry", job)
        worker = self.worker()
        self.wait_state(job, "done")
        self.stop(worker)

    def test_gives_back_what_it_cannot_finish_when_it_is_stopped(self):
        self.project_ready()
        with self.hold():
            worker = self.worker()
            job = self.submit(self.fresh())[0]
            self.running_child(worker)
            began = time.monotonic()
            self.stop(worker)
            self.assertLess(time.monotonic() - began, 10)
            row = self.jobs()[job]
            self.assertEqual((row["state"], row["attempt"]), ("ready", 0))
        self.expect(0, "work", "ingest", "--once")
        self.assertEqual(self.jobs()[job]["state"], "done")

    def test_finishes_what_it_can_when_it_is_stopped(self):
        self.project_ready()
        hold = self.hold()
        worker = self.worker()
        job = self.submit(self.fresh())[0]
        self.running_child(worker)
        worker.send_signal(signal.SIGTERM)
        hold.close()
        self.assertEqual(worker.wait(10), 0)
        self.assertEqual(self.jobs()[job]["state"], "done")

    def test_goes_on_when_the_database_was_away(self):
        self.project_ready()
        worker = self.worker()
        job = self.submit(self.fresh())[0]
        self.wait_state(job, "done")
        pid = int(self.expect(0, "db", "status").out.split("process")[1].split()[0])
        os.kill(pid, signal.SIGKILL)
        job = self.submit(self.fresh())[0]
        self.wait_state(job, "done")
        self.stop(worker)

    def test_refuses_wrong_usage(self):
        self.assertIn("ingest", self.expect(2, "work", "ingst").err)
        self.assertIn("--jobs", self.expect(2, "work", "ingest", "--jobs", "0").err)
        self.assertIn("--all", self.expect(2, "queue", "retry").err)
        self.assertIn("'x'", self.expect(2, "queue", "drop", "x").err)
        self.assertIn("add", self.expect(2, "queue", "ad").err)
        self.assertIn("--project", self.expect(2, "queue", "add", self.fresh()).err)
        self.expect(6, "queue", "add", "--project", "p", "--workload", "w", "/nonexistent")
        self.expect(6, "work", "ingest", "--watch", "/nonexistent", "--project", "p",
                    "--workload", "w")

    def test_rows_tell_what_was_noticed_and_from_which_numbers(self):
        short = self.profile("warm", "--seed", "990", "--steps", "3")
        cut = pathlib.Path(self.profile("cut", "--seed", "991"))
        for file in cut.rglob("*.xplane.pb"):
            os.truncate(file, file.stat().st_size - 200)
        self.submit("--warmup-steps", "200", short)
        self.submit(str(cut))
        self.expect(0, "work", "ingest", "--once")
        found = dict(row.split("|", 1) for row in self.query(
            "SELECT code || '|' || evidence FROM findings WHERE evidence IS NOT NULL"))
        self.assertEqual(json.loads(found["only_warmup"])["steps"], 3)
        self.assertGreater(json.loads(found["input_truncated"])["bytes_unread"], 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
