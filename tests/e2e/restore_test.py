"""Backup and restore to a point in time, as history/README.md describes it; replicas for reads;
connection strings that name several servers."""

import json
import os
import shutil
import unittest

from server_case import ServerCase


class Restore(ServerCase):
    """A primary that archives its WAL, and a base backup of it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.archive = cls.servers_folder / "archive"
        cls.archive.mkdir()
        if os.geteuid() == 0:
            shutil.chown(cls.archive, "postgres", "postgres")
        cls.primary.stop()
        cls.primary.start(archive_mode="on", archive_command=f"cp %p {cls.archive}/%f")

    def stored(self, *arguments):
        """How many profiles a ledger holds."""
        done = self.expect(0, "export", *arguments)
        return json.loads(done.out.splitlines()[-1])["profiles"]

    def take(self, seed):
        self.ingest("--branch", "main", self.profile(f"m{seed}", "--kind", "tpu", "--seed", seed))

    def recover(self, server, target):
        """Starts a backup so that it replays the archive up to a named point."""
        (server.data / "recovery.signal").touch()
        if os.geteuid() == 0:
            shutil.chown(server.data / "recovery.signal", "postgres", "postgres")
        server.start(restore_command=f"cp {self.archive}/%f %p", recovery_target_name=target,
                     recovery_target_action="promote", archive_mode="off")

    def test_restores_the_ledger_to_a_point_in_time(self):
        kept = self.folder / "kept.json"
        backup = self.server("backup")
        self.take("1")
        backup.create_standby(self.primary, "backup")
        (backup.data / "standby.signal").unlink()
        self.take("2")
        self.expect(0, "checkpoint", "--output", kept)
        self.primary.sql("SELECT pg_create_restore_point('good')")
        self.take("3")
        self.primary.sql("SET session_replication_role = replica; DELETE FROM op_rows")
        last = self.primary.sql("SELECT pg_walfile_name(pg_current_wal_lsn())")[0]
        self.primary.sql("SELECT pg_switch_wal()")
        self.expect(1, "verify")
        self.wait_for("the archiver", lambda: self.primary.sql(
            "SELECT last_archived_wal FROM pg_stat_archiver")[0] >= last)
        self.primary.kill()
        self.recover(backup, "good")
        restored = ["--db", backup.conninfo()]
        self.assertIn("clean", self.expect(0, "verify", "--against", kept, *restored).out)
        self.assertEqual(self.stored(*restored), 2)
        self.expect(0, "ingest", *restored, "--project", "p", "--workload", "w",
                    self.profile("m3"))
        self.expect(0, "verify", "--against", kept, *restored)


class Replica(ServerCase):
    """A primary and a standby."""

    READS = (["log"], ["verify"], ["show", "p1"], ["export"], ["queue", "list"], ["alert", "list"],
             ["trend", "--project", "p", "--workload", "w", "--all-branches", "--format", "text"],
             ["history", "--project", "p", "--workload", "w"])

    def await_replay(self, standby):
        """Until the standby shows what the primary has acknowledged."""
        written = self.primary.sql("SELECT pg_current_wal_lsn()")[0]
        self.wait_for("the standby", lambda: standby.sql(
            f"SELECT pg_last_wal_replay_lsn() >= '{written}'") == ["t"])

    def read_all(self, *arguments, environment=None):
        """The documents of all commands that read."""
        return [self.expect(0, *command, *arguments, environment=environment).out
                for command in self.READS]

    def test_reads_from_a_replica_and_writes_to_the_primary(self):
        standby = self.server("standby")
        standby.create_standby(self.primary, "standby")
        standby.start()
        several = (f"host=127.0.0.1,127.0.0.1 port={standby.port},{self.primary.port} "
                   "user=stepledger dbname=stepledger target_session_attrs=read-write")
        path = self.profile("m1", "--kind", "tpu", "--seed", "1")
        scope = ["--project", "p", "--workload", "w"]
        self.expect(0, "ingest", "--db", several, *scope, path)
        self.expect(0, "queue", "add", "--db", several, *scope, path)
        refused = self.expect(69, "ingest", "--db", standby.conninfo(), *scope,
                              self.profile("m2", "--seed", "2"))
        self.assertIn("primary", refused.err)
        self.await_replay(standby)
        nowhere = {"STEPLEDGER_DB_READ": "host=/nonexistent"}
        shown = self.read_all("--db", self.primary.conninfo(), environment=nowhere)
        self.primary.kill()
        by_option = self.read_all("--db", several, "--db-read", standby.conninfo())
        by_setting = self.read_all(environment={"STEPLEDGER_DB_READ": standby.conninfo()})
        for command, *documents in zip(self.READS, shown, by_option, by_setting):
            self.assertEqual(len(set(documents)), 1, (command, documents))
        self.assertIn("p1", self.expect(0, "status", "--db", standby.conninfo()).out)
        self.assertIn("replica", self.call("check", "--db", standby.conninfo()).out)
        for command in (["queue", "add", *scope, path], ["queue", "drop", "1"], ["checkpoint"]):
            self.expect(69, *command, environment={"STEPLEDGER_DB_READ": standby.conninfo()})


if __name__ == "__main__":
    unittest.main()
