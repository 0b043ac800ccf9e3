"""The worker that judges what the queue stored: as `gate` would, once, whatever is killed."""

import json
import os
import signal
import unittest

from queue_case import SCOPE, QueueCase, children_of

SOON = {"STEPLEDGER_JUDGE_SETTLE_MS": "0", "STEPLEDGER_JUDGE_LEASE_MS": "3000",
        "STEPLEDGER_QUEUE_ATTEMPTS": "1000"}
BASELINE_RUNS = 3


class CompareWorker(QueueCase):
    """One ledger with a baseline on main."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = 0
        case = cls("run_nothing")
        case.expect(0, "ingest", *SCOPE, "--branch", "main",
                    *(cls.capture() for _ in range(BASELINE_RUNS)))

    def run_nothing(self):
        """What setUpClass's own case would run."""

    @classmethod
    def capture(cls, *options):
        """A profile that is like no other."""
        cls.made += 1
        return cls.profile(f"run-{cls.made}", "--seed", str(500 + cls.made), *options)

    def ask(self, commit, *options, count=1):
        """Submits profiles of a commit that are to be judged."""
        paths = [self.capture(*options) for _ in range(count)]
        return self.submit("--judge", "--branch", "topic", "--commit", commit, *paths)

    def work(self, kind):
        """All that is due."""
        return json.loads(self.expect(0, "work", kind, "--once").out)

    def judgement(self, commit):
        """The row of a commit, None while there is none."""
        rows = self.expect(0, "queue", "list").document["judgements"]
        return next((row for row in rows if row["candidate"] == commit), None)

    def await_verdict(self, commit):
        row = self.wait_for(f"the verdict on {commit}", lambda: (
            lambda found: found and found["state"] == "done" and found)(self.judgement(commit)))
        self.assertIsNone(row["failure"])
        return row["verdict"]

    def verdicts_on(self, commit):
        """How many the ledger holds."""
        return int(self.query(
            "SELECT count(DISTINCT i.verdict_id) FROM verdict_inputs i JOIN profile_events e "
            f"ON e.profile_id = i.profile_id WHERE i.side = 'candidate' AND "
            f"e.commit_sha = '{commit}'")[0])

    def test_judges_a_commit_with_all_its_profiles(self):
        self.ask("slow1", "--slow-op", ".=1.5", count=3)
        self.work("ingest")
        self.assertEqual(self.work("compare")["judged"], 1)
        self.assertEqual(self.work("compare")["judged"], 0)
        row = self.judgement("slow1")
        verdict = json.loads(self.expect(0, "show", row["verdict"]).out)
        self.assertEqual(len(verdict["candidate"]["profile_ids"]), 3)
        by_hand = self.call("gate", *SCOPE, "--commit", "slow1", "slow1")
        self.assertEqual(by_hand.document["status"], verdict["status"])
        self.assertEqual(by_hand.document["baseline"]["profile_ids"],
                         verdict["baseline"]["profile_ids"])
        self.expect(0, "gate", "--replay", row["verdict"])
        self.expect(0, "verify")

    def test_judges_again_when_more_came_and_when_asked(self):
        self.ask("feedbeef12")
        self.work("ingest")
        self.assertEqual(self.work("compare")["judged"], 1)
        first = self.judgement("feedbeef12")["verdict"]
        self.ask("feedbeef12")
        self.work("ingest")
        self.assertEqual(self.work("compare")["judged"], 1)
        second = self.judgement("feedbeef12")["verdict"]
        self.assertNotEqual(first, second)
        asked = self.expect(0, "queue", "judge", *SCOPE, "feedbee").document["judgements"]
        self.assertEqual([row["candidate"] for row in asked], ["feedbeef12"])
        self.assertEqual(self.work("compare")["judged"], 1)
        self.expect(6, "queue", "judge", *SCOPE, "nobody")
        self.expect(2, "queue", "judge", *SCOPE)

    def test_says_that_there_is_no_baseline(self):
        scope = ("--project", "p", "--workload", "new")
        self.submit("--judge", self.capture(), scope=scope)
        self.work("ingest")
        self.assertEqual(self.work("compare")["without_baseline"], 1)
        rows = self.expect(0, "queue", "list").document["judgements"]
        row = next(row for row in rows if row["workload"] == "new")
        self.assertEqual((row["state"], row["verdict"]), ("done", None))
        self.assertIn("baseline", row["failure"])
        self.assertIn("baseline", self.expect(0, "queue", "list", "--format", "text").out)

    def test_a_killed_worker_leaves_one_verdict(self):
        self.ask("killed")
        self.work("ingest")
        with self.hold():
            first = self.spawn("work", "compare", **SOON)
            self.wait_for("the claim", lambda: self.judgement("killed")["state"] == "running")
            self.wait_for("the wait for the lock", lambda: self.query(
                "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"))
            first.send_signal(signal.SIGKILL)
            first.wait()
        self.spawn("work", "compare", **SOON)
        self.await_verdict("killed")
        self.assertEqual(self.verdicts_on("killed"), 1)
        self.expect(0, "verify")

    def show_commits(self):
        """A destination of states of commits, to which nothing is sent; for this test."""
        path = self.folder / "config" / "stepledger" / "config"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("notify = ci\n[destination ci]\nkind = github_status\n"
                        "repository = acme/train\nsecret = env:NONE\n", encoding="utf-8")
        self.addCleanup(path.unlink)

    def told(self, phase):
        """How many messages tell that; void ones too."""
        return int(self.query(f"SELECT count(*) FROM outbox WHERE phase = '{phase}'")[0])

    def test_a_lease_that_ran_out_records_and_tells_nothing(self):
        late = "1a7e" * 10
        self.show_commits()
        self.ask(late)
        self.work("ingest")
        with self.hold():
            slow = self.spawn("work", "compare", **SOON)
            self.wait_for("the claim", lambda: self.judgement(late)["state"] == "running")
            slow.send_signal(signal.SIGSTOP)
            other = self.spawn("work", "compare", **SOON)
            self.wait_for("another claim", lambda: self.judgement(late)["attempt"] == 2)
            slow.send_signal(signal.SIGCONT)
        self.await_verdict(late)
        self.stop(slow)
        self.stop(other)
        self.assertEqual(self.verdicts_on(late), 1)
        self.assertGreaterEqual(self.told("started"), 2)
        self.assertEqual(self.told("aborted"), self.told("started"))  # what guards each start

    def test_the_service_judges(self):
        service = self.spawn("serve", **SOON)
        self.ask("served")
        self.await_verdict("served")
        worker = self.wait_for("the worker", lambda: [
            pid for pid in children_of(service.pid) if self.is_compare(pid)])[0]
        os.kill(worker, signal.SIGKILL)
        self.ask("served2")
        self.await_verdict("served2")
        status = self.expect(0, "status", "--format", "json").document
        self.assertEqual(status["judging"]["aside"]["count"], 0)
        self.stop(service)

    @staticmethod
    def is_compare(pid):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as stream:
                return stream.read().split(b"\0")[1:3] == [b"work", b"compare"]
        except OSError:
            return False

    def test_a_policy_that_is_wrong_holds_candidates_until_it_is_mended(self):
        policy = self.folder / "judge.policy"
        policy.write_text("nonsense\n")
        mine = {"STEPLEDGER_JUDGE_POLICY": str(policy), **SOON}
        self.ask("feed5eed")
        self.work("ingest")
        worker = self.spawn("work", "compare", **mine)
        row = self.wait_for("the reason", lambda: (
            lambda found: found["failure"] and found)(self.judgement("feed5eed")))
        self.assertIn(f"{policy}:1", row["failure"])
        self.assertNotEqual(row["state"], "aside")
        policy.write_text("policy_version = 1\n")
        self.await_verdict("feed5eed")
        self.stop(worker)

    def test_a_policy_that_is_away_is_said(self):
        self.assertIn("judge_policy", self.expect(
            69, "work", "compare", "--once",
            environment={"STEPLEDGER_JUDGE_POLICY": "/nonexistent/policy"}).err)


if __name__ == "__main__":
    unittest.main()
