"""Somebody verifies: the scheduler does, what is new often and all of it weekly, and tells."""

import unittest

from server_case import ServerCase

CONFIG = """
[destination people]
kind = slack
url = http://127.0.0.1:9/people
allow_http = yes
allow_addresses = 127.0.0.0/8
[destination hook]
kind = webhook
url = http://127.0.0.1:9/hook
allow_http = yes
allow_addresses = 127.0.0.0/8
"""


class ScheduledVerify(ServerCase):
    """A ledger that its scheduler has verified once."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.config = cls.folder / "people.conf"
        cls.config.write_text(CONFIG)
        cls().ingest(cls.profile("m1", "--kind", "tpu", "--seed", "1"))

    def schedule(self, task=None, code=0):
        """All that is due, and a task that was not; what was logged of it."""
        if task is not None:
            self.primary.sql(f"DELETE FROM schedules WHERE name = '{task}'")
        done = self.expect(code, "work", "schedule", "--once", "--config", self.config)
        return "\n".join(line for line in done.err.splitlines() if f"task={task} " in line)

    def verified(self):
        return self.expect(0, "status", "--format", "json").document["verified"]

    def ages(self):
        return [self.verified()[which] for which in ("all_ms", "new_ms")]

    def found(self, which):
        """Whether the last verification found things, as status and check say it."""
        found = self.verified()[f"{which}_found"]
        self.assertEqual(found, "WITH FINDINGS" in self.expect(0, "status").out)
        self.assertEqual(found, "not what was recorded" in self.call("check").out)
        return found

    def told(self):
        return self.primary.sql("SELECT d.name, o.headline FROM outbox o JOIN destinations d "
                                "ON d.id = o.destination_id ORDER BY d.name, o.id")

    def test_what_is_new_is_found_within_the_hour_and_all_weekly(self):
        self.assertIn("verified  all of it never (overdue)", self.expect(0, "status").out)
        self.assertEqual(self.verified(), {"all_ms": None, "new_ms": None, "all_found": False,
                                           "new_found": False})
        self.assertIn("clean", self.schedule("verify_all"))
        self.assertTrue(all(0 <= age < 60000 for age in self.ages()), self.ages())
        self.assertFalse(self.found("all") or self.found("new"))
        self.assertRegex(self.expect(0, "status").out,
                         r"verified  all of it [^ (]* ?[a-z]* ago, what is new [^(]* ago\n")
        overdue = "the whole ledger was not verified within eight days"
        self.assertNotIn(overdue, self.call("check").out)
        self.primary.sql("UPDATE schedules SET ended_at = now() - interval '9 days'")
        self.assertIn(overdue, self.expect(1, "check").out)
        self.assertGreaterEqual(self.verified()["all_ms"], 9 * 86400000)
        self.assertEqual(self.expect(0, "status").out.count("(overdue)"), 2)
        self.schedule("verify_all")
        self.ingest(self.profile("m2", "--kind", "tpu", "--seed", "2"))
        self.assertIn("entries, clean", self.schedule("verify"))
        self.schedule("checkpoint")
        self.schedule("verify")
        self.assertIn("outcome=\"1 entries, clean\"", self.schedule("verify"))
        self.ingest(self.profile("m3", "--kind", "tpu", "--seed", "3"))
        off = "SET session_replication_role = replica; "
        self.primary.sql(off + "UPDATE profile_steps SET max_ps = max_ps + 1 WHERE profile_id = 1")
        self.assertIn("clean", self.schedule("verify"))
        self.assertEqual(self.told(), [])
        said = self.schedule("verify_all", 65)
        self.assertIn("event=task_failed", said)
        self.assertIn("p1: the profile is not what was recorded", said)
        self.assertTrue(self.found("all"))
        self.assertEqual(self.told(), [
            f"{name}|the ledger is not what was recorded: `stepledger verify` found 1 thing"
            for name in ("hook", "people")])
        self.schedule("verify_all", 65)
        self.assertEqual(len(self.told()), 2)
        self.assertIn("p1", self.call("verify").out)

        self.primary.sql(off + "UPDATE profile_steps SET max_ps = max_ps - 1 "
                         "WHERE profile_id = 1; "
                         "DELETE FROM measures WHERE profile_id = 3")
        self.assertIn("p3: the profile is not what was recorded", self.schedule("verify", 65))
        self.assertEqual(len(self.told()), 4)
        self.assertIn("p3: the profile", self.schedule("verify", 65))
        body = self.primary.sql("SELECT convert_from(o.body, 'UTF8') FROM outbox o JOIN "
                                "destinations d ON d.id = o.destination_id WHERE d.name = 'hook' "
                                "ORDER BY o.id DESC LIMIT 1")[0]
        self.assertIn("(p3) the profile is not what was recorded", body)
        shown = self.expect(0, "status").out
        self.assertIn("verifying found 1 things", shown)


if __name__ == "__main__":
    unittest.main()
