"""Each kind of worker with no more rights than its role: it does its work and shows that it lives,
and nobody does what is another's."""

import unittest

from server_case import ServerCase

SCOPE = ["--project", "p", "--workload", "w"]
KINDS = {"ingest": "ingest", "compare": "compare", "alert": "alert"}


class Roles(ServerCase):
    """A login for each role, and a baseline."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for role in ("ingest", "compare", "alert", "read"):
            cls.primary.sql(f"CREATE ROLE only_{role} LOGIN IN ROLE stepledger_{role}")

    def only(self, role):
        return ["--db", self.primary.conninfo(f"only_{role}")]

    def test_every_worker_does_its_work_with_its_own_role(self):
        self.expect(0, "ingest", *SCOPE, "--branch", "main", *self.only("ingest"),
                    self.profile("r1", "--seed", "1"), self.profile("r2", "--seed", "2"))
        self.expect(0, "queue", "add", "--judge", "--commit", "abcdef1", *SCOPE,
                    *self.only("ingest"), self.profile("r3", "--seed", "3"))
        workers = {kind: self.spawn("work", kind, *self.only(role),
                                    STEPLEDGER_JUDGE_SETTLE_MS="0")
                   for kind, role in KINDS.items()}
        self.wait_for("all signs of life", lambda: set(self.primary.sql(
            "SELECT kind FROM workers")) == set(KINDS))
        self.wait_for("the verdict", lambda: self.primary.sql(
            "SELECT state FROM judgements") == ["done"])
        self.assertEqual(self.primary.sql("SELECT count(*) FROM verdicts"), ["1"])
        for worker in workers.values():
            self.stop(worker)
            self.assertNotIn("database_away", worker.log.read_text())
        self.assertEqual(self.primary.sql("SELECT count(*) FROM workers"), ["0"])
        for command in (["verify"], ["log"], ["status"], ["export"], ["queue", "list"],
                        ["alert", "list"], ["show", "v1"], ["trend", *SCOPE],
                        ["history", *SCOPE]):
            self.expect(0, *command, *self.only("read"))

    def test_nobody_does_what_is_anothers(self):
        path = self.profile("r4", "--seed", "4")
        for role, command in (("read", ["ingest", *SCOPE, path]),
                              ("compare", ["ingest", *SCOPE, path]),
                              ("alert", ["queue", "add", *SCOPE, path]),
                              ("read", ["checkpoint"]),
                              ("compare", ["queue", "add", *SCOPE, path])):
            self.assertIn("lacks a right", self.expect(2, *command, *self.only(role)).err)

    def test_a_role_without_the_rights_that_migrate_gives_is_named(self):
        """As one that was made afterwards."""
        said = "! stepledger_read: made after `stepledger migrate`"
        self.assertNotIn("made after", self.call("check").out)
        self.primary.sql("REVOKE SELECT ON profiles FROM stepledger_read")
        self.addCleanup(self.primary.sql, "GRANT SELECT ON profiles TO stepledger_read")
        self.assertIn(said, self.expect(1, "check").out)


if __name__ == "__main__":
    unittest.main()
