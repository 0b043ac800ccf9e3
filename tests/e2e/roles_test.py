"""Each kind of worker with no more rights than its role: it does its work and shows that it lives,
and nobody does what is another's."""

import subprocess
import unittest

from queue_case import postgres_server
from server_case import ServerCase

SCOPE = ["--project", "p", "--workload", "w"]
KINDS = {"ingest": "ingest", "compare": "compare", "alert": "alert"}


class Roles(ServerCase):
    """A login for each role, and a baseline."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for role in ("ingest", "compare", "alert", "read"):
            cls.primary.sql(f"CREATE ROLE only_{role} LOGIN IN ROLE stepledger_{role} "
                            "CONNECTION LIMIT 20")
            cls.primary.sql(f"ALTER ROLE only_{role} SET temp_file_limit = '4GB'")

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

    def attempt(self, statement):
        """What the server says to a reader."""
        return subprocess.run(
            [postgres_server.binaries() / "psql", "-X", "-q", "-A", "-t", "-d",
             self.primary.conninfo("only_read"), "-c", statement],
            check=False, text=True, capture_output=True, timeout=120).stderr

    def test_a_reader_fills_nothing_that_others_need(self):
        """Each of these, in a loop, filled the disk or the table of locks that all sessions share;
        `check` names who can, and what `help database` says is what takes the right."""
        fillers = {
            "messages in the WAL": ["pg_logical_emit_message(false, 'x', 'y')",
                                    "pg_logical_emit_message(false, 'x', 'y'::bytea)"],
            "exported snapshots": ["pg_export_snapshot()"],
            "large objects": ["lo_creat(-1)", "lo_create(0)", "lo_from_bytea(0, 'x')"],
            "advisory locks": [f"pg_{kind}{share}({number})"
                               for kind in ("advisory_lock", "advisory_xact_lock",
                                            "try_advisory_lock", "try_advisory_xact_lock")
                               for share in ("", "_shared") for number in ("1", "1, 2")],
        }
        for statement in ("CREATE TEMP TABLE t (x int)", "CREATE TABLE public.t (x int)",
                          "CREATE TABLE stepledger.t (x int)", "CREATE SCHEMA s",
                          *(f"SELECT {call}" for calls in fillers.values() for call in calls)):
            with self.subTest(statement):
                self.assertIn("permission denied", self.attempt(statement))
        self.assertNotIn("may fill", self.call("check").out)
        self.expect(0, "verify")
        for what, calls in fillers.items():
            for name in {call.split("(")[0] for call in calls}:
                with self.subTest(name):
                    every = self.primary.sql(
                        "SELECT string_agg(oid::regprocedure::text, ', ') FROM pg_proc "
                        f"WHERE proname = '{name}'")[0]
                    self.primary.sql(f"GRANT EXECUTE ON FUNCTION {every} TO PUBLIC")
                    found = self.expect(1, "check").out
                    self.primary.sql(f"REVOKE EXECUTE ON FUNCTION {every} FROM PUBLIC")
                    self.assertRegex(found, f"! logins may fill the disk.*only_read: {what}")
        self.assertNotIn("may fill", self.call("check").out)
        # Migrating is the one that needs such a lock.
        self.expect(0, "migrate", "--db", self.primary.conninfo("stepledger_owner"))

    def test_a_login_without_bounds_is_named(self):
        self.primary.sql("CREATE ROLE greedy LOGIN IN ROLE stepledger_read")
        self.addCleanup(self.primary.sql, "DROP ROLE greedy")
        found = self.expect(1, "check").out
        self.assertIn("! greedy: may take all connections of the server", found)
        self.assertIn("! greedy: may fill the disk with what a statement sorts", found)
        self.primary.sql("ALTER ROLE greedy CONNECTION LIMIT 2")
        self.primary.sql("ALTER ROLE greedy SET temp_file_limit = '1MB'")
        self.assertNotIn("greedy", self.call("check").out)
        # Who has a login of the server and no part in the ledger does not even open it.
        self.primary.sql("CREATE ROLE stranger LOGIN")
        self.addCleanup(self.primary.sql, "DROP ROLE stranger")
        self.assertNotIn("stranger", self.call("check").out)
        self.primary.sql("GRANT CONNECT ON DATABASE stepledger TO stranger")
        self.assertIn("! stranger: may take all connections", self.expect(1, "check").out)
        self.primary.sql("REVOKE CONNECT ON DATABASE stepledger FROM stranger")

    def test_a_way_to_the_server_that_others_can_read_is_a_finding(self):
        """0.0.0.0 is no address of this machine's own, though what is sent there comes back."""
        here = self.primary.conninfo()
        away = here.replace("host=127.0.0.1", "host=0.0.0.0")
        open_way = "the connection to 0.0.0.0 may go without encryption (sslmode)"
        for mode in ("", " sslmode=prefer", " sslmode=disable", " sslmode=allow"):
            found = self.expect(1, "check", "--db", away + mode).out
            self.assertIn(f"! db: {open_way}", found)
            self.assertIn("sslmode=verify-full", found)
            self.assertNotIn("sslmode)", self.call("check", "--db", here + mode).out)
        found = self.expect(1, "check", environment={"STEPLEDGER_DB_READ": away}).out
        self.assertIn(f"! db_read: {open_way}", found)
        self.assertNotIn("! db: ", found)
        found = self.expect(1, "check", environment={"PGSSLMODE": "allow", "STEPLEDGER_DB": away})
        self.assertIn(f"! db: {open_way}", found.out)
        self.assertIn("! db_read: cannot reach the database", self.expect(
            1, "check", environment={"STEPLEDGER_DB_READ": "host=127.0.0.1 port=1"}).out)


if __name__ == "__main__":
    unittest.main()
