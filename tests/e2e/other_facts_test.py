"""Who has a profile's files takes it out of no baseline by storing them again with other facts:
that wants a reason, and the right to correct."""

import json
import unittest

from server_case import ServerCase

SCOPE = ["--project", "p", "--workload", "w"]
HOT = ["--meta", "throttled=sw_thermal_slowdown"]


class OtherFacts(ServerCase):
    """A profile of the baseline branch, with a fact that was told."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.primary.sql("CREATE ROLE only_ingest LOGIN IN ROLE stepledger_ingest")
        cls.worker = ["--db", cls.primary.conninfo("only_ingest")]

    def setUp(self):
        super().setUp()
        self.path = self.profile(self.id(), "--seed", str(len(self.id())))
        self.held = self.row(self.expect(
            0, "ingest", *SCOPE, "--branch", "main", "--meta", "batch=8", self.path))["profile"]

    @staticmethod
    def row(result):
        return result.document["profiles"][0]

    def assert_stands(self):
        self.assertEqual(self.primary.sql(
            f"SELECT count(*) FROM amendments WHERE profile_id = {self.held[1:]}"), ["0"])

    def test_refuses_other_facts_without_a_reason(self):
        for facts, said in ((HOT, "throttled sw_thermal_slowdown (not said)"),
                            (["--meta", "batch=9"], "batch 9 (not 8)"),
                            (["--meta", "num_devices=99"], "(not"),
                            (["--meta", "topology=9x9"], "topology 9x9 (not said)")):
            for login in ([], self.worker):
                refused = self.expect(65, "ingest", *SCOPE, "--branch", "main", *facts, *login,
                                      self.path)
                self.assertIn(f"these bytes are {self.held}, of which other facts are recorded: ",
                              refused.err)
                self.assertIn(said, refused.err)
                self.assertIn("--reason TEXT", refused.err)
        self.expect(2, "ingest", *SCOPE, "--reason", " ", *HOT, self.path)
        self.assert_stands()

    def test_sets_a_job_with_other_facts_aside(self):
        self.expect(0, "queue", "add", *SCOPE, "--branch", "main", *HOT, *self.worker, self.path)
        self.expect(0, "work", "ingest", "--once")
        row, = self.primary.sql("SELECT state, failure FROM queue")
        self.assertTrue(row.startswith("aside|"), row)
        self.assertIn("other facts are recorded: throttled", row)
        self.assert_stands()

    def test_takes_other_facts_with_a_reason_from_who_may_correct(self):
        telling = ["ingest", *SCOPE, "--reason", "the log shows it", *HOT]
        refused = self.expect(65, *telling, *self.worker, self.path)
        self.assertIn("role only_ingest may not say another throttled of ", refused.err)
        self.assert_stands()
        self.assertEqual(self.row(self.expect(0, *telling, self.path))["supersedes"], self.held)
        self.assertEqual(self.primary.sql(
            "SELECT action, reason, e.on_behalf_of IS NOT NULL FROM amendments a "
            "JOIN entries e ON e.kind = 'amendment' AND e.subject_id = a.id "
            f"WHERE profile_id = {self.held[1:]}"),
            ["supersede|the log shows it: throttled sw_thermal_slowdown (not said)|t"])

    def test_a_gate_takes_other_facts_with_a_reason(self):
        gate = ["gate", *SCOPE, "--branch", "topic", "--baseline", self.held]
        known = self.profile(f"{self.id()}-c", "--seed", "91")
        held = self.row(self.expect(0, "ingest", *SCOPE, "--branch", "topic", known))["profile"]
        for facts in (["--meta", "batch=8"], HOT):
            self.assertIn(f"these bytes are {held}, of which other facts are recorded: ",
                          self.expect(65, *gate, *facts, known).err)
        judged = self.expect(0, *gate, "--meta", "batch=8", "--reason", "it was not told", known)
        named = judged.document["candidate"]["profile_ids"]
        self.assertEqual(self.primary.sql(
            "SELECT 'p' || superseded_by, reason FROM amendments "
            f"WHERE profile_id = {held[1:]}"), [f"{named[0]}|it was not told: batch 8 (not said)"])
        self.expect(2, *gate, "--meta", "batch=9", "--reason", " ", known)

    def test_lets_a_worker_read_known_bytes_in_another_way_and_correct_nothing(self):
        again = self.row(self.expect(0, "ingest", *SCOPE, "--warmup-steps", "2", "--meta",
                                     "batch=8", *self.worker, self.path))
        self.assertEqual(again["supersedes"], self.held)
        for correction in (["retract", again["profile"]],
                           ["amend", again["profile"], "--branch", "elsewhere"]):
            refused = self.expect(2, *correction, "--reason", "r", *self.worker)
            self.assertIn("role only_ingest may not correct profiles", refused.err)

    def test_comes_over_with_reason_time_and_author(self):
        """As it was said, so that what rests on it can be made again elsewhere."""
        self.expect(0, "ingest", *SCOPE, "--branch", "main", "--captured-at",
                    "2026-01-05T07:00:00Z", "--meta", "batch=8", "--reason",
                    "its clock was wrong", self.path)

        def said(environment):
            lines = map(json.loads, self.expect(0, "export", environment=environment)
                        .out.splitlines())
            return [(word["reason"], word["recorded_at_utc"], word["by"])
                    for line in lines if line["type"] == "profile"
                    for word in line["superseded"] if "clock" in word["reason"]]
        here = said(None)
        self.assertEqual(len(here), 1, here)
        self.assertTrue(here[0][0].startswith("its clock was wrong: captured_at "), here)
        self.expect(0, "export", "--output", self.folder / "all.jsonl")
        other = self.second("other")
        self.expect(0, "import", self.folder / "all.jsonl", environment=other)
        self.assertEqual(said(other), here)
        self.expect(0, "verify", environment=other)

    def test_a_place_that_was_taken_is_given_back_again(self):
        """What a worker's login stored for known bytes stands in nobody's way for good."""
        junk = self.row(self.expect(0, "ingest", *SCOPE, "--warmup-steps", "3", "--meta",
                                    "batch=8", *self.worker, self.path))["profile"]
        why = ["--reason", "nobody knows what it is"]
        undo = ["retract", "--undo", self.held, *why]
        self.assertIn(f"{self.held} was superseded by {junk}: retract that one first",
                      self.expect(65, *undo).err)
        self.expect(0, "retract", junk, *why)
        self.expect(0, *undo)
        self.assertIn(f"{self.held} is not retracted", self.expect(65, *undo).err)
        self.assertIn(f"{self.held} has the same bytes and counts: retract it before {junk} counts",
                      self.expect(65, "retract", "--undo", junk, *why).err)
        known = self.row(self.expect(0, "ingest", *SCOPE, "--meta", "batch=8", self.path))
        self.assertEqual(known["profile"], self.held)
        counts = self.expect(0, "list", "profiles", *SCOPE, "--status", "counts").document
        self.assertIn(self.held, [row["profile"] for row in counts["rows"]])
        self.expect(0, "verify")
        lines = {line.get("id"): line for line in map(json.loads, self.expect(
            0, "export").out.splitlines())}
        self.assertEqual(lines[self.held]["amendments"], [])
        self.assertEqual(lines[junk]["unreadable"], f"{self.held} counts again in its place")


if __name__ == "__main__":
    unittest.main()
