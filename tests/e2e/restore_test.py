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
        self.primary.sql("SELECT pg_switch_wal()")
        self.expect(1, "verify")
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

    def test_reads_from_a_replica_and_writes_to_the_primary(self):
        standby = self.server("standby")
        standby.create_standby(self.primary, "standby")
        standby.start()
        several = (f"host=127.0.0.1,127.0.0.1 port={standby.port},{self.primary.port} "
                   "user=stepledger dbname=stepledger target_session_attrs=read-write")
        path = self.profile("m1", "--kind", "tpu", "--seed", "1")
        self.expect(0, "ingest", "--db", several, "--project", "p", "--workload", "w", path)
        refused = self.expect(69, "ingest", "--db", standby.conninfo(), "--project", "p",
                              "--workload", "w", self.profile("m2", "--seed", "2"))
        self.assertIn("primary", refused.err)
        self.primary.sql("SELECT pg_sleep(0.5)")
        self.primary.kill()
        replica = {"STEPLEDGER_DB_READ": standby.conninfo()}
        for command in (["log"], ["verify"], ["show", "p1"], ["export"]):
            self.expect(0, *command, environment=replica)
        self.assertIn("replica", self.call("check", "--db", standby.conninfo()).out)


if __name__ == "__main__":
    unittest.main()
