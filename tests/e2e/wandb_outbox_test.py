"""W&B as a destination: every verdict is published, faults end as documented, and what is in doubt
makes no second version.
"""

import unittest

from channel_case import NO_RETRY, SECRETS, ChannelCase
from launch import Launch

KEY = "planted1key0000000000000000000000000000000f"


class Record(ChannelCase):
    """One destination of kind wandb."""

    number = 0

    def setUp(self):
        super().setUp()
        self.wandb = Launch("wandb_server.py", "--api-key", KEY)
        self.doubles["wandb"] = self.wandb
        self.addCleanup(self.wandb.stop)
        SECRETS.append(KEY)
        self.addCleanup(SECRETS.remove, KEY)

    def arrange(self, waits=None, **keys):
        waits = waits or {"delivery_base_ms": 1, "delivery_cap_ms": 10}
        self.configure(*self.record_section(self.wandb, KEY, **keys), notify="record", **waits)

    def judge(self, good=False):
        """A verdict of its own branch."""
        type(self).number += 1
        name = f"record-{self.number}"
        (self.good if good else self.slow)(name, 300 + self.number, branch=name)

    def versions(self):
        return [held for held in self.wandb.state()["artifacts"] if held["state"] == "COMMITTED"]

    def attempt(self):
        """One turn; (state of the message, log)."""
        result = self.expect(0, "work", "alert", "--once")
        self.said += [result.out, result.err]
        return self.sql("SELECT state FROM outbox ORDER BY id DESC LIMIT 1"), result.err

    def test_publishes_passes_too_and_whatever_people_say(self):
        self.arrange()
        self.judge(good=True)
        self.judge()
        branch = f"record-{self.number}"
        verdict = "v" + self.sql("SELECT max(id) FROM verdicts")
        self.expect(0, "alert", "silence", verdict, "--reason", "known")
        self.slow("record-again", 299, branch=branch)
        self.work(delivered=3)
        self.assertEqual([held["version"] for held in self.versions()], ["v0", "v1", "v2"])
        self.assertEqual([held["metadata"]["verdict_status"] for held in self.versions()],
                         ["pass", "fail", "fail"])
        alerts = [alert["severity"] for run in self.wandb.state()["runs"]
                  for alert in run["alerts"]]
        self.assertEqual(alerts, ["ERROR"])  # what opens an alert, once
        self.assertEqual(self.wandb.rejections(), [])
        ref = self.sql("SELECT remote_ref FROM deliveries ORDER BY id DESC LIMIT 1")
        self.assertEqual(ref, "acme/p/profile-summary-p-w:v2")

    def test_each_fault_ends_in_its_documented_state(self):
        cases = [
            ({"fault": "status", "status": 500}, "retry", "pending"),
            ({"fault": "status", "status": 503}, "retry", "pending"),
            ({"fault": "cut", "when": "after"}, "retry", "pending"),
            ({"fault": "hang"}, "retry", "pending"),
            ({"fault": "drip", "interval_s": 0.05}, "retry", "pending"),
            ({"fault": "drip", "interval_s": 0.5, "listener": "storage"}, "retry", "pending"),
            ({"fault": "truncate"}, "retry", "pending"),
            ({"fault": "status", "status": 401}, "permanent", "dead"),
            ({"fault": "redirect"}, "permanent", "dead"),
        ]
        for rule, outcome, state in cases:
            with self.subTest(**rule):
                slow = rule["fault"] in ("hang", "drip")
                self.arrange(NO_RETRY, timeout_ms=1000 if slow else 20000)
                self.open_destinations()
                self.clear_outbox()
                self.wandb.faults()
                self.judge()
                self.wandb.faults(rule)
                found, log = self.attempt()
                self.assertIn(f"class={outcome}", log)
                self.assertEqual(found, state, log)
        self.wandb.faults()
        self.assertEqual([entry for entry in self.wandb.log() if entry["listener"] == "elsewhere"],
                         [])

    def test_stays_away_as_long_as_it_is_asked_to(self):
        self.arrange()
        self.judge()
        self.wandb.faults({"fault": "status", "status": 429, "retry_after": 3600, "pause_s": 0})
        state, log = self.attempt()
        self.assertEqual(state, "pending", log)
        left = self.sql("SELECT extract(epoch FROM not_before - now())::int FROM destinations"
                        " WHERE name = 'record'")
        self.assertTrue(3500 < int(left) <= 3600, left)

    def test_makes_one_version_wherever_the_reply_is_lost(self):
        self.arrange()
        for operation in ("UpsertBucket", "CreateArtifact", "CreateArtifactManifest",
                          "CreateArtifactFiles", "CommitArtifact", "file_stream"):
            with self.subTest(operation):
                self.wandb.faults()
                self.judge()
                before = len(self.versions())
                self.wandb.faults({"fault": "cut", "when": "after", "operation": operation,
                                   "nth": [1]})
                for _ in range(10):
                    self.sql("UPDATE outbox SET not_before = now() WHERE state = 'pending'")
                    state, log = self.attempt()
                    if state == "done":
                        break
                self.assertEqual(state, "done", log)
                self.assertEqual(len(self.versions()), before + 1)

    def test_goes_on_at_once_when_somebody_has_deleted_its_run(self):
        """Whatever was made before: with the next id of the run, in the same attempt."""
        for operation in ("CreateArtifact", "file_stream"):
            with self.subTest(operation):
                self.arrange(NO_RETRY)
                self.judge()
                before = len(self.versions())
                self.wandb.faults({"fault": "cut", "when": "after", "operation": operation})
                self.attempt()
                self.wandb.faults()
                self.wandb.control("delete-runs")
                self.sql("UPDATE outbox SET not_before = now(), state = 'pending',"
                         " finished_at = NULL, attempt = 0 WHERE id = (SELECT max(id) FROM outbox)")
                state, log = self.attempt()
                self.assertEqual(state, "done", log)
                self.assertEqual(len(self.versions()), before + 1)
                self.assertEqual([run["state"] for run in self.wandb.state()["runs"]],
                                 ["finished"])

    def test_refuses_loopback_unless_it_is_permitted(self):
        lines = [line for line in self.record_section(self.wandb, KEY)
                 if not line.startswith("allow_addresses")]
        self.configure(*lines, notify="record")
        self.judge()
        state, log = self.attempt()
        self.assertEqual((state, self.wandb.log()), ("dead", []), log)
        self.assertIn("allow_addresses", log)

    def test_can_be_tried_out(self):
        self.arrange()
        for _ in range(2):
            result = self.expect(0, "alert", "test", "record")
            self.assertEqual(result.document["remote_ref"],
                             "acme/p/profile-summary-stepledger-test:v0")
        self.assertEqual((len(self.versions()), self.wandb.rejections()), (1, []))

    def test_names_what_its_section_lacks(self):
        for lines, says in ((["secret = env:X"], "has no repository"),
                            (["repository = acme/p"], "has no secret")):
            self.configure("[destination record]", "kind = wandb", *lines)
            self.assertIn(says, self.expect(2, "alert", "test", "record").err)


if __name__ == "__main__":
    unittest.main()
