"""`db backup` and `db restore`: what was taken comes back, and nothing is lost by either."""

import json
import os
import pathlib
import shutil
import subprocess
import threading
import unittest

from backup_case import BackupCase

DISK_MIB = 24


class Backup(BackupCase):
    """Backups of one ledger, restored there and elsewhere."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        case.take(1)
        case.expect(0, "checkpoint")
        cls.first = case.backup("first")

    def refused(self, folder, *arguments):
        """A restore elsewhere that must say no; returns what it says. Nothing is there then."""
        environment = self.second(folder.name + "-refused")
        said = self.expect(65, "db", "restore", folder, *arguments, environment=environment).err
        left = pathlib.Path(environment["XDG_DATA_HOME"]) / "stepledger"
        self.assertEqual([path.name for path in left.glob("pg*")], ["pg.lock"] * left.exists())
        return said

    def altered(self, name):
        """A copy of the first backup, to be spoiled."""
        return pathlib.Path(shutil.copytree(self.first, self.backups / name))

    def test_an_older_state_comes_back_and_the_newer_one_is_kept(self):
        before = self.stored()
        source = self.backup("older")
        self.take(11)
        self.expect(0, "checkpoint")
        self.assertIn("--replace", self.expect(65, "db", "restore", source).err)
        self.assertEqual(self.stored(), before + 1)
        self.assertNotIn("stepledger_backup", self.call("check").out)  # nobody else may be it
        said = self.expect(0, "db", "restore", "--replace", source).out
        self.assertEqual(self.stored(), before)
        self.assertRegex(said, r"! this machine has seen c\d+ of .*, which the restored ledger "
                               r"does not hold: `verify` will say that it was rolled back")
        seen = pathlib.Path(said.rpartition("is meant, remove ")[2].strip())
        self.assertIn(str(seen), self.expect(1, "verify").out)
        for kept in seen.parent.glob("*"):
            kept.unlink()
        self.expect(0, "verify")
        old = pathlib.Path(said.partition("old one  ")[2].partition(" (kept")[0])
        self.expect(0, "db", "stop")
        (self.home / "pg").rename(self.home / "pg.restored-one")
        old.rename(self.home / "pg")
        self.assertEqual(self.stored(), before + 1)
        self.expect(0, "verify")

    def test_another_data_home_gets_the_same_ledger(self):
        elsewhere = self.second("elsewhere")
        said = self.expect(0, "db", "restore", self.first, environment=elsewhere).out
        self.assertIn(": clean\n", said)
        self.assertNotIn("old one", said)
        self.assertEqual(self.stored(elsewhere), 1)
        self.expect(0, "ingest", "--project", "p", "--workload", "more", self.profile("m1"),
                    environment=elsewhere)
        self.expect(0, "verify", environment=elsewhere)
        self.expect(0, "db", "backup", self.backups / "of-the-other", environment=elsewhere)

    def test_what_was_acknowledged_before_is_in_it_while_others_ingest(self):
        done, stop = [], threading.Event()
        path = self.profile("m1")

        def work():
            while not stop.is_set():
                self.expect(0, "ingest", "--project", "p", "--workload", f"w{len(done)}", path)
                done.append(path)

        base = self.stored()
        worker = threading.Thread(target=work)
        worker.start()
        while len(done) < 2:
            self.assertTrue(worker.is_alive())
        acknowledged = len(done)
        source = self.backup("busy")
        during = len(done)
        stop.set()
        worker.join()
        self.assertGreater(during, acknowledged)
        elsewhere = self.second("busy-home")
        self.expect(0, "db", "restore", source, environment=elsewhere)
        self.assertGreaterEqual(self.stored(elsewhere), base + acknowledged)
        self.expect(0, "verify", environment=elsewhere)

    def test_a_backup_that_was_changed_is_refused(self):
        file = self.altered("file")
        victim = max((file / "data" / "base").glob("*/*"), key=lambda path: path.stat().st_size)
        with victim.open("r+b") as handle:
            handle.seek(4000)
            handle.write(b"\x55\xaa\x55")
        self.assertIn("the backup is not what was taken", self.refused(file))
        manifest = self.altered("manifest")
        with (manifest / "data" / "backup_manifest").open("a") as handle:
            handle.write(" ")
        self.assertIn("the backup's manifest", self.refused(manifest))
        note = self.altered("note")
        text = (note / "backup.json").read_text()
        (note / "backup.json").write_text(text.replace('"position": 2', '"position": 1', 1))
        self.assertIn("it was changed", self.refused(note))
        link = self.altered("link")
        (link / "data" / "more").symlink_to("/etc")
        self.assertIn("neither a file nor a folder", self.refused(link))

    def test_files_that_tell_a_server_what_to_run_are_refused(self):
        """pg_verifybackup passes over them."""
        settings = self.altered("settings")
        with (settings / "data" / "postgresql.auto.conf").open("a") as handle:
            handle.write("archive_mode = on\narchive_command = 'touch /tmp/x; true'\n")
        self.assertIn("holds settings", self.refused(settings))
        for name in ("recovery.signal", "standby.signal"):
            signal = self.altered(name)
            (signal / "data" / name).touch()
            self.assertIn(f"it holds '{name}'", self.refused(signal))

    def test_a_ledger_that_ends_before_its_note_is_refused_unless_asked_for(self):
        cut = self.altered("cut")
        note = json.loads((cut / "backup.json").read_text())
        note["heads"][-1]["position"] += 7
        self.seal(cut, note)
        self.assertIn("its tail was cut", self.refused(cut))
        elsewhere = self.second("cut-home")
        said = self.expect(0, "db", "restore", cut, "--despite-findings", environment=elsewhere)
        self.assertIn("1 of `verify`'s findings", said.out)

    def seal(self, folder, note):
        """Writes a note with the hash that fits it, as whoever changes a backup would."""
        lines = [str(note[name] if note[name] is not None else "none") for name in
                 ("schema_version", "begun_at_utc", "stepledger_version", "server_version",
                  "migration", "file_count", "byte_count", "manifest_sha256", "checkpoint_id",
                  "checkpoint_root_sha256")]
        lines += [f"{head['chain']} {head['position']} {head['sha256']}" for head in note["heads"]]
        text = "".join(line + "\n" for line in lines)
        note["sha256"] = subprocess.run(["sha256sum"], input=text, capture_output=True, text=True,
                                        check=True).stdout.split()[0]
        (folder / "backup.json").write_text(json.dumps(note))

    def test_only_a_signature_tells_who_took_it(self):
        key = self.folder / "key.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(key)],
                       check=True)
        signing = {"STEPLEDGER_CHECKPOINT_KEY": str(key)}
        signed = self.backups / "signed"
        self.expect(0, "db", "backup", signed, environment=signing)
        public = json.loads((signed / "backup.json").read_text())["public_key"]
        trusting = {**self.second("trusting"), "STEPLEDGER_CHECKPOINT_TRUST": public}
        self.assertIn("is not signed", self.expect(
            65, "db", "restore", self.first, environment=trusting).err)
        self.expect(0, "db", "restore", signed, environment=trusting)

    def test_what_cannot_be_done_is_said_with_the_way_out(self):
        full = self.backups / "full"
        full.mkdir()
        (full / "something").touch()
        for arguments, code, words in (
                (["backup", full], 65, "not an empty folder"),
                (["backup", self.backups / "no" / "where"], 6, "shall lie"),
                (["backup", self.home / "pg" / "data" / "b"], 65, "of the database itself"),
                (["backup"], 2, "needs the folder"),
                (["backup", full, "--db", "host=x"], 2, "pg_basebackup or pg_dump"),
                (["restore", full], 6, "no backup"),
                (["restore", self.backups / "nothing"], 6, "nothing"),
                (["restore", self.first, "--db", "host=x"], 2, "pg_basebackup or pg_dump")):
            self.assertIn(words, self.expect(code, "db", *arguments).err)
        self.assertIn("pg_dump", self.expect(2, "db", "backup", full, environment={
            "STEPLEDGER_DB": "host=/nowhere"}).err)
        self.assertEqual(list(self.backups.glob("*-part")), [])

    def test_another_major_version_is_refused(self):
        older = self.altered("major")
        (older / "data" / "PG_VERSION").write_text("14\n")
        elsewhere = self.second("major-home")
        said = self.expect(69, "db", "restore", older, environment=elsewhere).err
        self.assertIn("PostgreSQL 14, which is not installed", said)

    def test_a_newer_ledger_is_refused(self):
        newer = self.altered("newer")
        note = json.loads((newer / "backup.json").read_text())
        note["migration"] = 9999
        self.seal(newer, note)
        self.assertIn("use a newer one", self.expect(69, "db", "restore", newer).err)

    def test_the_last_backup_is_known(self):
        self.assertIn(f"backup   {self.backup('known')}", self.expect(0, "db", "status").out)
        self.assertRegex(self.call("check").out, r"last backup +0\.0 h ago \(.*/known\)")

    def test_an_empty_folder_is_taken(self):
        empty = self.backups / "empty"
        empty.mkdir()
        self.backup("empty")
        self.assertTrue((empty / "backup.json").exists())

    def test_a_full_disk_leaves_nothing(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m,mode=0777", "tmpfs", str(disk)],
            check=False, capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest(f"no right to mount a small disk: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(disk)], check=True)
        self.assertIn("name a folder in it", self.expect(65, "db", "backup", disk / ".").err)
        said = self.expect(75, "db", "backup", disk / "b").err
        self.assertIn("No space left on device", said)
        self.assertEqual(list(disk.iterdir()), [])
        self.expect(75, "db", "restore", self.first, environment={"XDG_DATA_HOME": str(disk)})
        self.assertEqual([path.name for path in (disk / "stepledger").iterdir()], ["pg.lock"])


class OlderCluster(BackupCase):
    """A cluster that was made before there were backups: nobody may take one."""

    def test_gets_what_it_lacks_when_it_is_started(self):
        self.take(1)
        data = self.home / "pg" / "data"
        for name in ("pg_hba.conf", "pg_ident.conf"):
            text = (data / name).read_text()
            (data / name).write_text("".join(
                line for line in text.splitlines(keepends=True) if "backup" not in line))
        pid = (data / "postmaster.pid").read_text().split()[0]
        os.kill(int(pid), 1)  # SIGHUP: as it was started then
        wanted = self.backups / "b"
        self.wait_refused(wanted)
        self.expect(0, "db", "stop")
        self.expect(0, "db", "backup", wanted)
        self.assertEqual(self.stored(), 1)

    def wait_refused(self, wanted):
        """The server reads its rules again in a moment."""
        while True:
            result = self.call("db", "backup", wanted)
            if result.code != 0:
                break
            shutil.rmtree(wanted)
        self.assertEqual(result.code, 69)
        self.assertIn("`stepledger db stop`, then again", result.err)
        self.assertEqual(list(self.backups.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
