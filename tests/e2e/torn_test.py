"""The files that we own, as a crash of the machine may leave them: the old content, the new, a
prefix of it, zeros where it was to be, nothing at all.

What: after each the next command works, or says which file it is and what to do. Why: all of them
are flushed before they take their names, but not every disk keeps what it was told to.
"""

import dataclasses
import json
import pathlib
import unittest

from backup_case import BackupCase

SCOPE = ["--project", "p", "--workload", "w"]


def torn(new):
    """{what happened: the bytes}"""
    size = len(new)
    cuts = {f"cut at {at}": new[:at] for at in (0, size // 3, size - 2)}
    return {**cuts, "zeros": bytes(size), "zeros in the end": new[:size // 2] + bytes(size // 2),
            "one zero": new[:-1] + b"\0"}


@dataclasses.dataclass
class Row:
    """A file, the command that reads it, and how that ends. {path} in arguments is the file."""

    path: pathlib.Path
    arguments: list
    whole: int  # exit code
    torn: int
    says: str  # what is to be done
    old: bytes = b""  # another content that is whole


class Torn(BackupCase):
    """A ledger with a checkpoint, a backup, and what machines keep beside it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        case.take(1)
        case.expect(0, "checkpoint", "--output", cls.folder / "c1.json")
        case.expect(0, "verify")
        cls.capture("old.json", "/")
        cls.capture("env.json", str(cls.folder))
        case.expect(0, "export", "--output", cls.folder / "all.jsonl")
        case.backup("b")
        cls.data = cls.home / "pg" / "data"

    @classmethod
    def capture(cls, name, repository):
        cls().expect(0, "capture-env", "--python", "/bin/false", "--repo", repository, "--output",
                     cls.folder / name)

    def seen(self, kind):
        path, = (self.folder / "state" / "stepledger").glob(f"{kind}-*.json")
        return path

    def rows(self):
        """What is refused when it is torn."""
        older = self.seen("checkpoint").read_bytes()
        ingest = ["ingest", *SCOPE, "--branch", "main", self.profile("m1"), "--reason",
                  "its environment is known now", "--env-file", "{path}"]
        return [
            Row(self.seen("checkpoint"), ["verify"], 0, 1, r"--against.* remove {path}", older),
            Row(self.seen("verified"), ["verify"], 0, 0, r"--against.* remove {path}", older),
            Row(self.folder / "c1.json", ["verify", "--against", "{path}"], 0, 65, "another copy"),
            Row(self.folder / "env.json", ingest, 0, 65, "capture-env",
                (self.folder / "old.json").read_bytes()),
            Row(self.folder / "all.jsonl", ["import", "{path}"], 0, 65,
                "Nothing of it was imported|Write it again"),
            Row(self.backups / "b" / "backup.json", ["db", "restore", "{folder}"], 65, 65,
                "another backup"),
            Row(self.home / "pg" / "last_backup", ["db", "status"], 0, 65, "remove it"),
        ]

    def try_row(self, row, content):
        row.path.write_bytes(content)
        place = {"path": row.path, "folder": row.path.parent}
        done = self.call(*(argument.format(**place) for argument in row.arguments))
        return done.code, done.out + done.err

    def test_what_is_torn_is_never_taken_for_whole(self):
        for row in self.rows():
            new, says = row.path.read_bytes(), row.says.format(path=row.path)
            for content in filter(None, (row.old, new)):
                code, said = self.try_row(row, content)
                self.assertEqual(code, row.whole, said)
                self.assertNotRegex(said, says)
            for name, content in torn(new).items():
                with self.subTest(file=row.path.name, image=name):
                    code, said = self.try_row(row, content)
                    self.assertEqual(code, row.torn, said)
                    self.assertIn(str(row.path), said)
                    self.assertRegex(said, says)
                    self.assertEqual(row.path.read_bytes(), content)
            row.path.write_bytes(new)

    def test_a_history_loses_what_was_never_said_to_be_there(self):
        path, side = self.folder / "h.jsonl", self.folder / "side.json"
        self.expect(0, "summarize", "--profile-dir", self.profile("m1"), "--output", side)
        track = ["track", side, side, "--history", path]
        self.expect(0, *track)
        old = path.read_bytes()
        self.expect(0, *track)
        new = path.read_bytes()[len(old):]
        for name, content in torn(new).items():
            with self.subTest(name):
                path.write_bytes(old + content)
                done = self.call("history", "--history", path)
                self.assertEqual(done.code, int(content != b""), done.err)
                if content:
                    self.assertRegex(done.err, r"track --history.*h\.jsonl:2")
                self.assertEqual("was torn" in self.expect(0, *track).err, content != b"")
                self.assertEqual(path.read_bytes()[:len(old)], old)
                whole = self.expect(0, "history", "--history", path).document
                self.assertEqual(whole["status_counts"], {"pass": 2})
        path.write_bytes(old + new[:-1])  # all but its end
        self.expect(0, *track)
        self.assertEqual(len(path.read_text().splitlines()), 3)

    def test_the_configuration_of_the_cluster_gets_back_what_it_lost(self):
        names = ["postgresql.conf", "pg_ident.conf", "pg_hba.conf"]
        kept = {name: (self.data / name).read_bytes() for name in names}
        ours = kept["postgresql.conf"][kept["postgresql.conf"].index(b"# Written by stepledger"):]
        images = {name: torn(content) for name, content in kept.items()}
        for image in ("cut at 0", "zeros in the end", "one zero"):
            with self.subTest(image):
                self.expect(0, "db", "stop")
                for name in names:
                    (self.data / name).write_bytes(images[name][image])
                (self.home / "pg" / "fresh").write_bytes(b"\0")  # a mark: its content says nothing
                self.expect(0, "list", "profiles")
                self.expect(0, "migrate")
                for name in names[1:]:
                    self.assertEqual((self.data / name).read_bytes(), kept[name])
                self.assertIn(ours, (self.data / names[0]).read_bytes())
        self.expect(0, "db", "stop")
        (self.data / "pg_hba.conf").write_bytes(b"local all postgres reject\n#x")
        self.expect(0, "list", "profiles")
        self.assertEqual((self.data / "pg_hba.conf").read_bytes(),
                         b"local all postgres reject\n#x\n" + kept["pg_hba.conf"])
        self.assertEqual(list(self.data.glob("*stepledger-part*")), [])


if __name__ == "__main__":
    unittest.main()
